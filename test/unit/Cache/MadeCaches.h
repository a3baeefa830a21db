//===- Caches with made-up records ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TEST_UNIT_CACHE_MADECACHES_H
#define TEST_UNIT_CACHE_MADECACHES_H

#include "tonno/Cache/CacheDirectory.h"
#include "tonno/Cache/RecordStore.h"

#include "TemporaryDirectory.h"

#include <gmock/gmock.h>

namespace tonno {

inline ProblemIdentity makeIdentity(const std::string &kernel = "kernel",
                                    const std::string &device = "cpu",
                                    const std::string &backend = "tonno 1") {
  return {kernel, "x86_64-unknown-linux-gnu", "znver4", "+avx2", backend,
          device, Json{{"oracle", 3}}};
}

inline SearchSpace makeSpace(const std::vector<Option> &options) {
  return SearchSpace({{"BM", options, 0}});
}

inline TrialRecord makeTrial(int value, Status status, double seconds = 1e-3) {
  TrialRecord trial;
  trial.values = {{"BM", value}};
  trial.status = status;
  if (status == Status::ok) {
    trial.measurement.emplace();
    trial.measurement->seconds = Distribution::of({seconds, seconds, seconds});
  }
  return trial;
}

inline DecisionRecord makeDecision(int value, Verdict verdict,
                                   uint64_t trials) {
  DecisionRecord decision;
  decision.kernel = "mm";
  decision.values = {{"BM", value}};
  decision.comparison.verdict = verdict;
  decision.trials = trials;
  decision.versions = "tonno 1 + LLVM";
  return decision;
}

/// A directory with caches, into which records are put as tuning does.
class MadeCaches : public testing::Test {
protected:
  CacheDirectory open(const std::string &name) {
    std::filesystem::create_directories(directory / name);
    return *CacheDirectory::open(directory / name);
  }
  void insert(const std::string &name, const std::string &key,
              const Json &record) {
    auto store = DirectoryStore::open(directory / name,
                                      DirectoryStore::Mode::read_write, warn);
    ASSERT_TRUE((*store)->insert(key, record).ok());
  }
  void addTrial(const std::string &name, TrialRecord trial,
                const ProblemIdentity &identity = makeIdentity()) {
    trial.problem = identity.problemKey();
    insert(name, trial.problem, ProblemRecord{identity});
    insert(name, identity.trialKey(trial.values), trial);
  }
  std::string addDecision(const std::string &name,
                          const DecisionRecord &decision,
                          const ProblemIdentity &identity = makeIdentity(),
                          const SearchSpace &space = makeSpace({8, 16})) {
    Json question = identity.decisionQuestion(space, {{"trials", 60}});
    Json record = decision;
    record[questionMember] = question;
    insert(name, computeKey(question), record);
    return computeKey(question);
  }
  /// Returns the files of a cache with their contents.
  std::map<std::string, std::string> readAll(const std::string &name) {
    std::map<std::string, std::string> contents;
    open(name).visit(
        {},
        [&](const StoredRecord &stored) {
          contents[stored.path.filename()] = printed(stored.record);
          return true;
        },
        warn);
    return contents;
  }

  TemporaryDirectory directory;
  std::vector<std::string> warnings;
  std::function<void(const std::string &)> warn =
      [this](const std::string &message) { warnings.push_back(message); };
};

} // namespace tonno

#endif // TEST_UNIT_CACHE_MADECACHES_H
