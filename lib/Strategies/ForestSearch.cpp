//===- A forest that proposes ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ForestSearch.h"
#include "tonno/Search/Forest.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tonno;

static constexpr size_t initialPoints = 20;
static constexpr size_t timeTrees = 30;
static constexpr size_t feasibilityTrees = 20;
static constexpr double columnShare = 0.7; ///< looked at for each split
static constexpr double randomShare = 0.1; ///< of the proposals

static constexpr CandidatePool::Options poolOptions = {
    .elites = 8,
    .neighboured = 4,
    .radius = std::numeric_limits<uint32_t>::max(),
    .mutants = 40,
    .crosses = 0,
    .randomPoints = 300};

/// Returns log targets; failures get the 95th percentile of the successes.
static std::vector<double> logTargets(const Observations &observations) {
  std::vector<double> succeeded, targets;
  for (const Observation &each : observations.all())
    if (each.ratio)
      succeeded.push_back(std::log(*each.ratio));
  std::ranges::sort(succeeded);
  size_t bad = succeeded.size() - 1;
  if (succeeded.size() > 3)
    bad = bad * 95 / 100;
  for (const Observation &each : observations.all())
    targets.push_back(each.ratio ? std::log(*each.ratio) : succeeded[bad]);
  return targets;
}

/// Returns the pool, the most promising last. Precondition: a trial succeeded.
std::vector<Configuration> ForestSearch::rankedPool() {
  Rows<uint8_t> known(encoding.columns());
  std::vector<double> succeeded;
  for (const Observation &each : observations.all()) {
    encoding.bins(each.configuration, known.append());
    succeeded.push_back(each.ratio ? 1 : 0);
  }
  Forest::Options forestOptions;
  forestOptions.trees = timeTrees;
  forestOptions.tree.columns =
      Forest::computeColumnShare(encoding.columns(), columnShare);
  Forest forest(known, logTargets(observations), forestOptions, random.fork());
  forestOptions.trees = feasibilityTrees;
  Forest feasibility(known, succeeded, forestOptions, random.fork());

  std::vector<Configuration> points;
  for (PoolMember &member :
       CandidatePool(fresh, encoding, random, poolOptions).draw(observations))
    points.push_back(std::move(member.point));
  Rows<uint8_t> rows = encoding.bins(points);
  std::vector<Forest::Prediction> times = forest.predict(rows);
  std::vector<Forest::Prediction> runs = feasibility.predict(rows);
  double best = std::log(*observations.best()->ratio);
  std::vector<std::pair<double, size_t>> scores;
  for (size_t i = 0; i < points.size(); ++i)
    scores.emplace_back(
        runs[i].mean * expectedImprovement(-times[i].mean,
                                           std::sqrt(times[i].variance) + 1e-3,
                                           -best),
        i);
  std::ranges::sort(scores);
  std::vector<Configuration> ranked;
  for (auto [score, i] : scores)
    ranked.push_back(std::move(points[i]));
  return ranked;
}

std::vector<Configuration> ForestSearch::propose(size_t n) {
  std::vector<Configuration> ranked, proposed;
  bool isRanked = false;
  while (proposed.size() < n) {
    std::optional<Configuration> point;
    if (proposedCount >= initialPoints && observations.best() &&
        random.uniform() >= randomShare) {
      if (!isRanked)
        ranked = rankedPool();
      isRanked = true;
      if (!ranked.empty()) {
        point = std::move(ranked.back());
        ranked.pop_back();
      }
    }
    if (!point)
      point = fresh.draw(random);
    if (!point)
      break;
    if (!fresh.take(*point)) // drawn before, in this call
      continue;
    proposed.push_back(*std::move(point));
    ++proposedCount;
  }
  return proposed;
}

void ForestSearch::observe(std::span<const Trial> trials) {
  for (const Trial &trial : trials) {
    fresh.take(trial.configuration);
    observations.add(trial);
  }
}
