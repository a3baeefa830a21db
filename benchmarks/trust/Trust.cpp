//===- Error rates of sessions --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Simulates whole sessions of 64 candidates and the default, by tonno's own
// loop and protocol, on machines in simulated time. Reports how often a session
// of equal candidates ends in `faster`, how often a candidate that is 2 % or 1
// % faster is found, the loss against the true best, and the cost.

#include "SimulatedSession.h"

#include "tonno/Core/File.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>

using namespace tonno;
using namespace tonno::trust;

static constexpr size_t numCandidates = 64;
static constexpr double launchSeconds = 1e-3;

static std::vector<Noise> cells() {
  Noise calm{.name = "1 %"};
  Noise everything{.name = "everything, 3 %",
                   .spread = 0.03,
                   .layout = 0.007,
                   .tailShare = 0.02,
                   .drift = 0.02,
                   .clockStep = 0.04,
                   .burstsEvery = 0.5};
  std::vector<Noise> cells = {calm};
  auto add = [&](Noise from, const char *name, auto change) {
    from.name = name;
    change(from);
    cells.push_back(std::move(from));
  };
  add(calm, "2 %", [](Noise &n) { n.spread = 0.02; });
  add(calm, "5 %", [](Noise &n) { n.spread = 0.05; });
  add(calm, "drift", [](Noise &n) { n.drift = 0.03, n.spread = 0.02; });
  add(calm, "two clock states",
      [](Noise &n) { n.clockStep = 0.04, n.spread = 0.02; });
  add(calm, "heavy tails",
      [](Noise &n) { n.tailShare = 0.05, n.spread = 0.02; });
  add(calm, "bursts", [](Noise &n) { n.burstsEvery = 0.2, n.spread = 0.02; });
  add(calm, "a neighbour", [](Noise &n) {
    n.burstsEvery = 0.5, n.burstSeconds = 0.5, n.burstSize = 0.25;
    n.spread = 0.02;
  });
  cells.push_back(everything);
  add(everything, "everything, 5 %", [](Noise &n) { n.spread = 0.05; });
  return cells;
}

/// Reads a trace written by tonno-benchmark-trust-record.
static std::vector<double> readTrace(const std::string &name) {
  std::string path = TRACE_DIRECTORY "/" + name + ".json";
  auto text = readFile(path);
  auto json = text ? parseJson(*text) : Result<Json>(text.error());
  if (!json) {
    std::fprintf(stderr, "error: %s\n", json.error().message.c_str());
    std::exit(1);
  }
  std::vector<double> logs;
  for (const Json &each : json->at("logs_in_1e-4"))
    logs.push_back(1e-4 * each.get<double>());
  return logs;
}

static std::vector<Noise> recordedCells() {
  std::vector<Noise> cells;
  for (const char *kernel : {"matmul", "stream"})
    for (const char *where : {"idle", "busy"}) {
      Noise cell{.name = std::string(kernel) + ", " + where, .spread = 0};
      cell.trace = readTrace(std::string(kernel) + "-" + where);
      cells.push_back(std::move(cell));
    }
  return cells;
}

namespace {

/// Successes among trials, with the exact interval of Clopper and Pearson.
struct Share {
  size_t hits = 0, of = 0;

  double percent() const {
    return 100 * static_cast<double>(hits) / static_cast<double>(of);
  }
  /// Returns the share for which at most, or at least, the observed hits have a
  /// probability of 2.5 %.
  double bound(bool upper) const;
};

} // namespace

/// Returns the probability of at most `hits` successes in `of` trials, in a
/// binomial distribution.
static double atMost(size_t hits, size_t of, double share) {
  double sum = 0;
  auto n = static_cast<double>(of);
  for (size_t i = 0; i <= hits; ++i) {
    auto k = static_cast<double>(i);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) -
                    std::lgamma(n - k + 1) + k * std::log(share) +
                    (n - k) * std::log1p(-share));
  }
  return sum;
}

double Share::bound(bool upper) const {
  if (upper ? hits == of : hits == 0)
    return upper ? 1 : 0;
  double low = 0, high = 1;
  for (int step = 0; step < 60; ++step) {
    double middle = (low + high) / 2;
    // Falls with the share.
    double tail =
        upper ? atMost(hits, of, middle) : 1 - atMost(hits - 1, of, middle);
    bool isAbove = upper ? tail < 0.025 : tail > 0.025;
    (isAbove ? high : low) = middle;
  }
  return (low + high) / 2;
}

/// Runs the sessions on all cores; `add` takes their outcomes in order.
static void
runAll(size_t sessions, const std::function<SimulatedOutcome(uint64_t)> &run,
       const std::function<void(uint64_t, const SimulatedOutcome &)> &add) {
  std::vector<SimulatedOutcome> outcomes(sessions);
  size_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  for (size_t core = 0; core < cores; ++core)
    threads.emplace_back([&, core] {
      for (size_t i = core; i < sessions; i += cores)
        outcomes[i] = run(i);
    });
  threads.clear();
  for (size_t i = 0; i < sessions; ++i)
    add(i, outcomes[i]);
}

/// Returns the candidate of this session that differs from the others.
static size_t special(uint64_t seed) { return 1 + seed % numCandidates; }

static void printShare(const Share &share) {
  std::printf(" %6.2f [%5.2f, %6.2f]", share.percent(),
              100 * share.bound(false), 100 * share.bound(true));
}

/// Sets an option given as "finals_error=0.01"; returns false if there is no
/// such option.
static bool set(ProtocolOptions &protocol, const std::string &text) {
  size_t equals = text.find('=');
  Json json = protocol;
  if (equals == std::string::npos || !json.contains(text.substr(0, equals)))
    return false;
  Json &value = json[text.substr(0, equals)];
  if (!value.is_number())
    return false;
  value = std::strtod(text.c_str() + equals + 1, nullptr);
  protocol = json.get<ProtocolOptions>();
  return true;
}

int main(int argc, char **argv) {
  size_t sessions = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000;
  uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  ProtocolOptions protocol;
  std::string only;
  size_t devices = 1;
  bool isEqualOnly = false;
  for (int i = 3; i < argc; ++i)
    if (std::string_view(argv[i]).starts_with("only=")) {
      only = argv[i] + 5;
    } else if (std::string_view(argv[i]) == "equal") {
      isEqualOnly = true;
    } else if (std::string_view(argv[i]).starts_with("devices=")) {
      devices = std::max(1ul, std::strtoul(argv[i] + 8, nullptr, 10));
    } else if (!set(protocol, argv[i])) {
      std::fprintf(stderr,
                   "error: '%s' sets no option of the protocol\n"
                   "usage: %s [sessions [seed [option=number ...] "
                   "[devices=number] [equal] [only=part of a cell's "
                   "name]]]\n",
                   argv[i], argv[0]);
      return 1;
    }
  std::printf("%zu sessions a cell, seed %llu, devices %zu; shares in %% with "
              "exact 95 %% intervals; samples of a session; cost against 100 "
              "samples a candidate\n%-18s %-22s %-22s %-22s %8s %7s %7s %6s\n",
              sessions, static_cast<unsigned long long>(seed), devices, "cell",
              " A/A faster", " 2 % found", " 1 % found", "regret %", "2 %",
              "1 %", "cost");
  std::vector<Noise> all = cells();
  for (Noise &cell : recordedCells())
    all.push_back(std::move(cell));
  for (const Noise &noise : all) {
    if (noise.name.find(only) == std::string::npos)
      continue;
    auto sessionOf = [&](double log) {
      return [&, log](uint64_t i) {
        std::vector<double> logs(numCandidates + 1, 0.0);
        logs[special(i)] = log;
        return simulate(noise, launchSeconds, logs, protocol,
                        seed + 1000003 * i, devices);
      };
    };
    auto found = [&](double log, size_t &samples) {
      Share share;
      runAll(sessions, sessionOf(log),
             [&](uint64_t i, const SimulatedOutcome &outcome) {
               share.hits += outcome.verdict == Verdict::faster &&
                             outcome.chosen == special(i);
               ++share.of;
               samples += outcome.samples;
             });
      samples /= sessions;
      return share;
    };
    Share falsely;
    runAll(sessions, sessionOf(0),
           [&](uint64_t, const SimulatedOutcome &outcome) {
             falsely.hits += outcome.verdict == Verdict::faster;
             ++falsely.of;
           });
    if (isEqualOnly) {
      std::printf("%-18s", noise.name.c_str());
      printShare(falsely);
      std::printf("\n");
      std::fflush(stdout);
      continue;
    }
    size_t samplesOfTwo = 0, samplesOfOne = 0;
    Share two = found(std::log(1 / 1.02), samplesOfTwo);
    Share one = found(std::log(1 / 1.01), samplesOfOne);

    // Candidates as they come: most are slower, some are close to the best.
    auto drawn = [&](uint64_t i) {
      std::mt19937_64 generator(seed + i);
      std::normal_distribution<double> normal(0.05, 0.1);
      std::vector<double> logs(numCandidates + 1, 0.0);
      for (size_t c = 1; c < logs.size(); ++c)
        logs[c] = normal(generator);
      return logs;
    };
    double regret = 0, cost = 0;
    runAll(
        sessions,
        [&](uint64_t i) {
          return simulate(noise, launchSeconds, drawn(i), protocol,
                          seed + 1000003 * i, devices);
        },
        [&](uint64_t i, const SimulatedOutcome &outcome) {
          std::vector<double> logs = drawn(i);
          regret += logs[outcome.chosen] - *std::ranges::min_element(logs);
          double fixed = 0;
          for (size_t c = 1; c < logs.size(); ++c)
            fixed += 100 * launchSeconds * std::exp(logs[c]);
          cost += outcome.timedSeconds / fixed;
        });
    std::printf("%-18s", noise.name.c_str());
    for (const Share &share : {falsely, two, one})
      printShare(share);
    auto n = static_cast<double>(sessions);
    std::printf(" %8.4f %7zu %7zu %6.3f\n", 100 * regret / n, samplesOfTwo,
                samplesOfOne, cost / n);
    std::fflush(stdout);
  }
  return 0;
}
