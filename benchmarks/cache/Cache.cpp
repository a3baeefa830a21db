//===- Times of large caches ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fills a directory with trials and decisions, and times what users wait for:
//
//   tonno-benchmark-cache <new directory> [<records>]

#include "tonno/Cache/CacheDirectory.h"
#include "tonno/Cache/RecordDifferences.h"
#include "tonno/Cache/RecordStore.h"
#include "tonno/Core/Statistics.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>

using namespace tonno;
namespace fs = std::filesystem;

static constexpr size_t trialsOfDecision = 99;

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static ProblemIdentity makeIdentity(size_t number) {
  Json protocol = Json::object();
  for (int i = 0; i < 45; ++i)
    protocol["constant_" + std::to_string(i)] = i * 0.5;
  return {"kernel " + std::to_string(number),
          "x86_64-linux-gnu",
          "znver4",
          "+avx512f",
          "tonno, LLVM, host pipeline",
          "cpu",
          Json{{"protocol", protocol}, {"oracle", 12}}};
}

/// Writes without the syncs of a store, which take a minute or two.
static void write(const fs::path &root, const std::string &key,
                  const Json &record) {
  fs::path path = getRecordPath(root, key);
  fs::create_directories(path.parent_path());
  std::ofstream(path) << encodeRecord(key, record);
}

/// Returns the keys of the trials.
static std::vector<std::string> fill(const fs::path &root, size_t records) {
  SearchSpace space({{"BM", {8, 16, 32}, 0}, {"BN", {8, 16, 32}, 0}});
  std::vector<std::string> keys;
  for (size_t number = 0; keys.size() < records; ++number) {
    ProblemIdentity identity = makeIdentity(number);
    DecisionRecord decision;
    decision.kernel = "kernel";
    decision.values = {{"BM", 8}, {"BN", 8}};
    Json question = identity.decisionQuestion(space, {{"budget_trials", 60}});
    Json record = decision;
    record[questionMember] = question;
    write(root, computeKey(question), record);
    for (size_t i = 0; i < trialsOfDecision; ++i) {
      TrialRecord trial;
      trial.values = {{"BM", i}, {"BN", 8}};
      trial.problem = identity.problemKey();
      trial.measurement.emplace();
      keys.push_back(identity.trialKey(trial.values));
      write(root, keys.back(), trial);
    }
  }
  return keys;
}

template <typename Run> static double measure(Run run) {
  double begin = now();
  run();
  return now() - begin;
}

int main(int argc, char **argv) {
  if (argc < 2 || fs::exists(argv[1])) {
    std::fprintf(stderr, "usage: %s <new directory> [<records>]\n", argv[0]);
    return 2;
  }
  const fs::path root = argv[1];
  size_t records = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 100000;
  std::vector<std::string> keys = fill(root, records);
  auto warn = [](const std::string &message) {
    std::fprintf(stderr, "%s\n", message.c_str());
  };
  auto store =
      DirectoryStore::open(root, DirectoryStore::Mode::read_only, warn);
  std::mt19937_64 random(1);
  std::vector<double> lookups, misses, prefixes;
  auto cache = CacheDirectory::open(root);
  for (int i = 0; i < 2000; ++i) {
    const std::string &key = keys[random() % keys.size()];
    lookups.push_back(measure([&] { (*store)->find(key); }));
    misses.push_back(measure([&] { (*store)->find(computeKey(i)); }));
    prefixes.push_back(
        measure([&] { (void)cache->resolveKey(key.substr(0, 8)); }));
  }
  auto print = [](const char *what, std::vector<double> times) {
    std::ranges::sort(times);
    std::printf("%-28s %9.3f ms median, %9.3f ms of 99 %%\n", what,
                median(times) * 1e3, times[times.size() * 99 / 100] * 1e3);
  };
  std::printf("%zu records\n", keys.size() + keys.size() / trialsOfDecision);
  print("lookup", lookups);
  print("lookup of no record", misses);
  print("key by its first digits", prefixes);
  double begin = now(), first = 0;
  size_t listed = 0;
  cache->visit(
      {RecordKind::decision},
      [&](const StoredRecord &) {
        first = listed++ == 0 ? now() - begin : first;
        return true;
      },
      warn);
  std::printf("%-28s %9.3f s, the first of %zu after %.3f s\n", "list",
              now() - begin, listed, first);
  Json question = makeIdentity(0).decisionQuestion(SearchSpace(), {});
  std::printf("%-28s %9.3f s\n", "why-miss", measure([&] {
                findNearestDecision(*cache, "k", question, warn);
              }));
  return 0;
}
