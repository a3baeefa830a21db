//===- Ensemble of models over one pool -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EnsembleSearch.h"
#include "tonno/Search/Forest.h"
#include "Models/UsageColumns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace tonno;

static constexpr size_t firstDraws = 96;
static constexpr size_t laterDraws = 8; ///< for each further point

/// Returns the sum over the knobs of the difference of ranks, as a share of the
/// range, for ordered knobs, and of 0 or 1 for others.
static double computeDistance(const Encoding &encoding,
                              const Configuration &one,
                              const Configuration &other) {
  double sum = 0;
  for (size_t knob = 0; knob < encoding.knobs(); ++knob) {
    uint32_t a = one.indices[knob], b = other.indices[knob];
    if (a == b)
      continue;
    if (encoding.isOrdered(knob))
      sum += std::abs(static_cast<double>(encoding.rank(knob, a)) -
                      encoding.rank(knob, b)) /
             static_cast<double>(encoding.options(knob) - 1);
    else
      sum += 1;
  }
  return sum;
}

void SpreadPoints::avoid(const Configuration &point, const Encoding &encoding) {
  for (Draw &draw : draws)
    draw.distance =
        std::min(draw.distance, computeDistance(encoding, draw.point, point));
  before.push_back(point);
}

std::optional<Configuration> SpreadPoints::next(FreshPoints &fresh,
                                                const Encoding &encoding,
                                                Random &random) {
  size_t wanted =
      fresh.space().limitDraws(draws.empty() ? firstDraws : laterDraws);
  for (; wanted > 0; --wanted) {
    std::optional<Configuration> point = fresh.draw(random);
    if (!point)
      break;
    double distance = std::numeric_limits<double>::infinity();
    for (const Configuration &other : before)
      distance = std::min(distance, computeDistance(encoding, *point, other));
    draws.push_back({*std::move(point), distance});
  }
  std::erase_if(draws,
                [&](const Draw &draw) { return !fresh.isFresh(draw.point); });
  auto farthest = std::ranges::max_element(draws, {}, &Draw::distance);
  if (farthest == draws.end())
    return std::nullopt;
  Configuration point = std::move(farthest->point);
  draws.erase(farthest);
  avoid(point, encoding);
  return point;
}

/// The least number of observations for fitting a model.
static constexpr size_t fewestObservations = 4;
/// A smaller gain may be noise.
static constexpr double smallestGain = 0.002;
/// The number of plans without expected gain before convergence, since the pool
/// of a single plan may have missed good points.
static constexpr size_t fewestModestPlans = 3;

EnsembleSearch::EnsembleSearch(std::shared_ptr<const LegalSpace> space,
                               uint64_t seed, const Options &options)
    : options(options), encoding(space->space()), fresh(std::move(space)),
      random(seed) {
  for (SurrogateFactory *create : options.models)
    surrogates.push_back(create(encoding.columnKnobs()));
}

bool EnsembleSearch::isStarting() const {
  size_t known = observations.all().size();
  return known + pending.size() < options.start || known < fewestObservations ||
         !observations.best();
}

bool EnsembleSearch::hasConverged() const {
  return modestPlans >= fewestModestPlans &&
         observations.all().size() >= improvedAt + options.patience;
}

std::optional<double> EnsembleSearch::expectedGain() const {
  if (expectedGains.size() < fewestModestPlans)
    return std::nullopt;
  return *std::ranges::max_element(expectedGains);
}

size_t EnsembleSearch::batchSize() const {
  size_t trials = observations.all().size();
  size_t size = std::max(trials / options.trialsPerBatch, pending.size() / 8);
  return std::clamp<size_t>(size, 1, options.mostBatch);
}

/// Predicts the quality of points by a small forest: the mean over its trees.
std::vector<double>
EnsembleSearch::predictQualities(const TrainingSet &known,
                                 const EncodedPoints &points) {
  Forest::Options forestOptions;
  forestOptions.trees = 20;
  forestOptions.tree.columns =
      Forest::computeColumnShare(encoding.columns(), 0.6);
  Forest forest(known.points.bins, known.qualities, forestOptions,
                random.fork());
  std::vector<double> expected;
  for (Forest::Prediction each : forest.predict(points.bins))
    expected.push_back(each.mean);
  return expected;
}

TrainingSet EnsembleSearch::trainingSet() {
  std::vector<Configuration> points;
  std::vector<double> qualities;
  std::vector<std::optional<double>> ratios;
  double best = *observations.best()->ratio;
  for (const Observation &each : observations.all()) {
    points.push_back(each.configuration);
    qualities.push_back(each.ratio ? best / *each.ratio : 0);
    ratios.push_back(each.ratio);
  }
  TrainingSet known = {EncodedPoints(encoding, points), std::move(qualities),
                       std::move(ratios)};
  if (pending.empty())
    return known;
  std::vector<Configuration> open;
  for (const Planned &each : pending)
    open.push_back(each.point);
  points.insert(points.end(), open.begin(), open.end());
  std::vector<double> expected =
      predictQualities(known, EncodedPoints(encoding, open));
  TrainingSet all = {EncodedPoints(encoding, points),
                     std::move(known.qualities), std::move(known.ratios)};
  all.qualities.insert(all.qualities.end(), expected.begin(), expected.end());
  all.ratios.resize(points.size());
  return all;
}

/// Returns the ranks of scores, from 0, the lowest, to 1; equal scores get the
/// mean of their ranks.
static std::vector<double> computeRanks(std::span<const double> scores) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {},
                    [&](size_t i) { return std::pair(scores[i], i); });
  std::vector<double> ranks(scores.size());
  double most = std::max(1.0, static_cast<double>(scores.size()) - 1);
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin + 1;
    while (end < order.size() && scores[order[end]] == scores[order[begin]])
      ++end;
    double rank = static_cast<double>(begin + end - 1) / 2 / most;
    for (; begin < end; ++begin)
      ranks[order[begin]] = rank;
  }
  return ranks;
}

/// Returns the place of a rank in a pool, from 1, the best.
static size_t computePoolPosition(double rank, size_t pool) {
  auto most = static_cast<double>(pool - 1);
  return static_cast<size_t>(std::lround((1 - rank) * most)) + 1;
}

EnsembleSearch::Planned
EnsembleSearch::describe(PoolMember member, size_t pool,
                         std::span<const std::vector<double>> ranks,
                         size_t index) const {
  // In the order of PoolMember::Origin.
  static constexpr const char *origins[] = {
      "one knob from", "up to three knobs from",
      "between two of the best, one of them", "drawn"};
  std::string reason = origins[static_cast<size_t>(member.origin)];
  if (member.origin != PoolMember::Origin::random)
    reason += " number " + std::to_string(member.parent + 1) + " of the best";
  reason += "; of " + std::to_string(pool) + " candidates";
  for (size_t i = 0; i < surrogates.size(); ++i)
    reason += (i ? ", " : " ") + std::string(surrogates[i]->name()) +
              " ranks it " +
              std::to_string(computePoolPosition(ranks[i][index], pool));
  return {std::move(member.point), std::move(reason)};
}

void EnsembleSearch::plan() {
  std::vector<PoolMember> pool =
      CandidatePool(fresh, encoding, random, options.pool).draw(observations);
  if (pool.empty())
    return;
  TrainingSet set = trainingSet();
  std::vector<Configuration> points;
  for (const PoolMember &member : pool)
    points.push_back(member.point);
  EncodedPoints encoded(encoding, points);
  std::vector<std::vector<double>> ranks;
  std::vector<double> sums(pool.size());
  std::optional<double> expected; // the most that a model does
  for (std::unique_ptr<Surrogate> &surrogate : surrogates) {
    surrogate->fit(set, random);
    std::vector<double> scores = surrogate->score(encoded);
    if (surrogate->scoresImprovement())
      expected =
          std::max(expected.value_or(0), *std::ranges::max_element(scores));
    ranks.push_back(computeRanks(scores));
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] += ranks.back()[i];
  }
  if (expected)
    expectedGains.push_back(*expected);
  if (expectedGains.size() > fewestModestPlans)
    expectedGains.pop_front();
  bool isModest = expected && *expected < options.leastImprovement;
  modestPlans = isModest ? modestPlans + 1 : 0;
  std::vector<size_t> order(pool.size());
  std::iota(order.begin(), order.end(), 0);
  size_t batch = std::min(batchSize(), pool.size());
  std::ranges::partial_sort(
      order, order.begin() + static_cast<ptrdiff_t>(batch), {},
      [&](size_t i) { return std::pair(-sums[i], pool.size() - i); });
  for (size_t i = 0; i < batch; ++i)
    planned.push_back(
        describe(std::move(pool[order[i]]), pool.size(), ranks, order[i]));
}

std::optional<EnsembleSearch::Planned> EnsembleSearch::next() {
  if (isStarting()) {
    if (auto point = spread.next(fresh, encoding, random))
      return Planned{*std::move(point), "far from all before"};
    return std::nullopt;
  }
  if (random.uniform() >= options.randomShare) {
    if (planned.empty())
      plan();
    while (!planned.empty()) {
      Planned first = std::move(planned.front());
      planned.pop_front();
      if (fresh.isFresh(first.point))
        return first;
    }
  }
  if (auto point = fresh.draw(random))
    return Planned{*std::move(point), "drawn, so as not to be misled"};
  return std::nullopt;
}

std::vector<Configuration> EnsembleSearch::propose(size_t n) {
  std::vector<Configuration> proposed;
  while (proposed.size() < n && !hasConverged()) {
    std::optional<Planned> chosen = next();
    if (!chosen)
      break;
    fresh.take(chosen->point);
    proposed.push_back(chosen->point);
    pending.push_back(*std::move(chosen));
  }
  return proposed;
}

bool EnsembleSearch::hasImproved() const {
  const Observation *best = observations.best();
  const Observation *before = improved ? observations.find(*improved) : nullptr;
  if (!best || !before || !before->ratio)
    return best != nullptr;
  return *best->ratio < *before->ratio * (1 - smallestGain);
}

void EnsembleSearch::observe(std::span<const Trial> trials) {
  for (const Trial &trial : trials) {
    if (fresh.take(trial.configuration))
      spread.avoid(trial.configuration, encoding);
    // An environmental failure says nothing about the point.
    if (trial.status != Status::lost && trial.status != Status::contended)
      observations.add(trial);
    if (hasImproved()) {
      improved = observations.best()->configuration;
      improvedAt = observations.all().size();
    }
    usages.insert_or_assign(trial.configuration, trial.usage);
    compiledOnes.erase(trial.configuration);
    std::erase_if(pending, [&](const Planned &each) {
      return each.point == trial.configuration;
    });
  }
}

void EnsembleSearch::survey(std::span<const Trial> compiled) {
  for (const Trial &trial : compiled) {
    std::string reason = explain(trial.configuration);
    std::erase_if(pending, [&](const Planned &each) {
      return each.point == trial.configuration;
    });
    compiledOnes.emplace(trial.configuration, std::move(reason));
  }
}

/// Returns the candidate with the least time bound; the first of those without
/// one if there are any.
static size_t findLeastBound(std::span<const Trial> compiled) {
  auto bound = [](const Trial &trial) {
    return trial.usage.timeBound ? trial.usage.timeBound->seconds : 0;
  };
  return static_cast<size_t>(std::ranges::min_element(compiled, {}, bound) -
                             compiled.begin());
}

size_t EnsembleSearch::choose(std::span<const Trial> compiled) {
  size_t known = observations.all().size();
  if (known < std::max(options.start, fewestObservations) ||
      !observations.best())
    return findLeastBound(compiled);
  std::vector<Configuration> points, open;
  std::vector<ResourceUsage> told, openUsages;
  std::vector<double> qualities;
  std::vector<std::optional<double>> ratios;
  double best = *observations.best()->ratio;
  for (const Observation &each : observations.all()) {
    points.push_back(each.configuration);
    told.push_back(usages[each.configuration]);
    qualities.push_back(each.ratio ? best / *each.ratio : 0);
    ratios.push_back(each.ratio);
  }
  for (const Trial &trial : compiled) {
    open.push_back(trial.configuration);
    openUsages.push_back(trial.usage);
  }
  std::vector<ResourceUsage> all = told;
  all.insert(all.end(), openUsages.begin(), openUsages.end());
  UsageColumns columns(all);
  if (choosers.empty() || columns.columns() != usageColumns) {
    choosers.clear();
    for (SurrogateFactory *create : options.models)
      choosers.push_back(create(columns.columnKnobs(encoding)));
    usageColumns = columns.columns();
  }
  TrainingSet set = {columns.append(EncodedPoints(encoding, points), told),
                     std::move(qualities), std::move(ratios)};
  EncodedPoints encoded =
      columns.append(EncodedPoints(encoding, open), openUsages);
  std::vector<double> sums(open.size());
  for (std::unique_ptr<Surrogate> &chooser : choosers) {
    chooser->fit(set, random);
    std::vector<double> ranks = computeRanks(chooser->score(encoded));
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] += ranks[i];
  }
  return static_cast<size_t>(std::ranges::max_element(sums) - sums.begin());
}

std::string EnsembleSearch::explain(const Configuration &point) const {
  if (auto own = compiledOnes.find(point); own != compiledOnes.end())
    return own->second;
  for (const Planned &each : pending)
    if (each.point == point)
      return each.reason;
  return {};
}

std::unique_ptr<SearchStrategy>
tonno::createEnsembleSearch(std::shared_ptr<const LegalSpace> space,
                            uint64_t seed) {
  return std::make_unique<EnsembleSearch>(std::move(space), seed);
}
