//===- How much better an untried configuration may be --------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/RemainingGain.h"

#include "tonno/Search/CandidatePool.h"
#include "tonno/Search/Forest.h"
#include "Models/Surrogate.h"

#include <algorithm>
#include <cmath>

using namespace tonno;

/// The largest space whose points are predicted; the recorded ones have up to
/// 18,000.
static constexpr size_t mostPoints = 1 << 15;
/// Standard deviations of the tail.
static constexpr double deviations = 2;

std::optional<double> tonno::boundRemainingGain(const LegalSpace &space,
                                                std::span<const Trial> trials,
                                                uint64_t seed) {
  Observations observations;
  for (const Trial &trial : trials)
    if (trial.status != Status::lost && trial.status != Status::contended)
      observations.add(trial);
  auto isRun = [](const Trial &trial) {
    return trial.status != Status::bounded;
  };
  const Observation *best = observations.best();
  if (!best || std::ranges::count_if(trials, isRun) <
                   static_cast<ptrdiff_t>(leastTrialsForClaim))
    return std::nullopt;
  auto legal = space.list(mostPoints);
  if (!legal)
    return std::nullopt;
  std::vector<Configuration> known;
  std::vector<double> qualities;
  for (const Observation &each : observations.all()) {
    known.push_back(each.configuration);
    qualities.push_back(each.ratio ? *best->ratio / *each.ratio : 0);
  }
  auto isTried = [&](const Configuration &point) {
    return observations.find(point) != nullptr;
  };
  if (std::ranges::all_of(*legal, isTried))
    return 0;
  Encoding encoding(space.space());
  Forest::Options options;
  options.trees = 40;
  options.tree.columns = Forest::computeColumnShare(encoding.columns(), 0.6);
  Forest forest(encoding.bins(known), qualities, options, seed);
  // Tried points count, too: the spread at the best one shows how
  // sure the forest is of the points around it.
  double tail = 1;
  for (Forest::Prediction each : forest.predict(encoding.bins(*legal)))
    tail = std::max(tail, each.mean + deviations * std::sqrt(each.variance));
  double gain = tail - 1;
  return gain <= largestClaim ? std::optional(gain) : std::nullopt;
}
