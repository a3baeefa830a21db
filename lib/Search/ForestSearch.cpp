//===- ForestSearch.cpp - A random forest and expected improvement --------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Search/ForestSearch.h"

#include "tonno/Search/ExpectedImprovement.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace tonno;

namespace {

/// Distinct fresh points, in the order in which they were added.
class Pool {
public:
  explicit Pool(const FreshPoints &fresh) : fresh(fresh) {}

  void add(const Configuration &point) {
    if (fresh.isFresh(point) && distinct.insert(point).second)
      points.push_back(point);
  }
  std::vector<Configuration> take() { return std::move(points); }

private:
  const FreshPoints &fresh;
  std::vector<Configuration> points;
  std::unordered_set<Configuration, ConfigurationHash> distinct;
};

} // namespace

/// All points that differ in one knob.
static void addNeighbours(const SearchSpace &space, const Configuration &point,
                          Pool &pool) {
  Configuration other = point;
  for (size_t knob = 0; knob < space.knobs().size(); ++knob) {
    uint32_t &option = other.indices[knob];
    for (option = 0; option < space.knobs()[knob].options.size(); ++option)
      if (option != point.indices[knob])
        pool.add(other);
    option = point.indices[knob];
  }
}

std::vector<Configuration> ForestSearch::pool() {
  Pool pool(fresh);
  for (size_t i = 0; i < options.randomPoints; ++i)
    if (auto point = fresh.legal().draw(random))
      pool.add(*point);
  std::vector<uint32_t> knobs(encoding.knobs());
  std::iota(knobs.begin(), knobs.end(), 0);
  size_t rank = 0;
  for (const Observation *elite : observations.best(options.elites)) {
    if (rank++ < options.elites / 2)
      addNeighbours(fresh.space().space(), elite->configuration, pool);
    for (size_t i = 0; i < options.mutants; ++i) {
      random.shuffle(std::span(knobs));
      size_t count = std::min<size_t>(1 + random.below(3), knobs.size());
      if (auto point = fresh.legal().complete(
              elite->configuration, std::span(knobs).first(count), random))
        pool.add(*point);
    }
  }
  return pool.take();
}

/// Failures are as bad as the worst of what succeeded, but for 5 %.
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

/// The pool, the most promising last. Precondition: a trial succeeded.
std::vector<Configuration> ForestSearch::rankedPool() {
  Rows<uint8_t> known(encoding.columns());
  std::vector<double> succeeded;
  for (const Observation &each : observations.all()) {
    encoding.bins(each.configuration, known.append());
    succeeded.push_back(each.ratio ? 1 : 0);
  }
  Forest::Options forestOptions;
  forestOptions.trees = options.trees;
  forestOptions.tree.columns =
      Forest::shareOf(encoding.columns(), options.columns);
  Forest forest(known, logTargets(observations), forestOptions, random.fork());
  forestOptions.trees = options.feasibilityTrees;
  Forest feasibility(known, succeeded, forestOptions, random.fork());

  std::vector<Configuration> points = pool();
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
    if (proposedCount >= options.initial && observations.best() &&
        random.uniform() >= options.randomShare) {
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
