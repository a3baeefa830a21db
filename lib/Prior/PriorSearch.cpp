//===- A search that begins with a prior ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Prior/PriorSearch.h"

#include <algorithm>
#include <cmath>

using namespace tonno;

/// Points drawn anew for each proposal; then neighbours of the most promising
/// few, for some rounds.
static constexpr size_t numDrawn = 1500;
static constexpr size_t numRounds = 3;
static constexpr size_t numImproved = 4;

PriorTask tonno::makePriorTask(const SearchSpace &space,
                               KernelFeatures features, std::string chip) {
  PriorTask task = {std::move(features), std::move(chip), {}};
  for (const Knob &knob : space.knobs())
    task.knobs.push_back(knob.name);
  std::ranges::sort(task.knobs);
  return task;
}

PriorSearch::PriorSearch(std::shared_ptr<const LegalSpace> space,
                         const Prior &prior, PriorTask task,
                         std::unique_ptr<SearchStrategy> strategy,
                         uint64_t seed, Options options)
    : options(options), name(prior.name), model(prior, task), fresh(space),
      encoding(space->space()), random(seed), strategy(std::move(strategy)) {
  const std::vector<Knob> &knobs = space->space().knobs();
  for (const std::string &knob : task.knobs)
    knobOrder.push_back(static_cast<size_t>(
        std::ranges::find(knobs, knob, &Knob::name) - knobs.begin()));
}

std::vector<Json> PriorSearch::values(const Configuration &point) const {
  std::vector<Json> values;
  for (size_t knob : knobOrder)
    values.push_back(
        fresh.space().space().knobs()[knob].options[point.indices[knob]]);
  return values;
}

/// Returns the probability that what was observed follows from the sources.
double PriorSearch::trust() const {
  double odds = std::log(options.odds) + model.logEvidence();
  return 1 / (1 + std::exp(-odds));
}

std::optional<Configuration> PriorSearch::next() {
  if (reasons.size() >= options.most || model.sources().empty() ||
      random.uniform() >= trust())
    return std::nullopt;
  std::vector<Configuration> pool;
  std::vector<PriorModel::Prediction> predictions;
  std::unordered_set<Configuration, ConfigurationHash> distinct;
  std::vector<Configuration> added;
  auto add = [&](Configuration point) {
    if (fresh.isFresh(point) && distinct.insert(point).second)
      added.push_back(std::move(point));
  };
  auto predict = [&] {
    std::vector<std::vector<Json>> asked;
    for (const Configuration &point : added)
      asked.push_back(values(point));
    std::ranges::copy(model.predict(asked), std::back_inserter(predictions));
    std::ranges::move(added, std::back_inserter(pool));
    added.clear();
  };
  auto score = [&](size_t i) {
    return predictions[i].loss - options.caution * predictions[i].deviation;
  };
  size_t wanted = fresh.space().limitDraws(numDrawn);
  for (size_t i = 0; i < wanted; ++i)
    if (auto point = fresh.draw(random))
      add(*std::move(point));
  predict();
  std::unordered_set<size_t> improved;
  std::vector<size_t> order;
  for (size_t round = 0; round < numRounds; ++round) {
    order.clear();
    for (size_t i = 0; i < pool.size(); ++i)
      if (!improved.contains(i))
        order.push_back(i);
    std::ranges::sort(order, {}, [&](size_t i) { return std::pair(score(i), i); });
    order.resize(std::min(order.size(), numImproved));
    for (size_t i : order) {
      improved.insert(i);
      for (size_t knob = 0; knob < encoding.knobs(); ++knob)
        for (uint32_t option :
             encoding.neighbours(knob, pool[i].indices[knob], /*radius=*/16)) {
          Configuration neighbour = pool[i];
          neighbour.indices[knob] = option;
          add(std::move(neighbour));
        }
    }
    if (added.empty())
      break;
    predict();
  }
  std::optional<size_t> best;
  for (size_t i = 0; i < pool.size(); ++i)
    if (!best || score(i) < score(*best))
      best = i;
  if (!best)
    return std::nullopt;
  double trusted = trust();
  reasons[pool[*best]] =
      "by the prior " + name + ", of which " +
      std::to_string(std::lround(100 * trusted)) + " % is believed";
  return pool[*best];
}

std::vector<Configuration> PriorSearch::propose(size_t n) {
  std::vector<Configuration> proposed;
  while (proposed.size() < n) {
    std::optional<Configuration> chosen = next();
    if (!chosen)
      break;
    fresh.take(*chosen);
    pending.insert(*chosen);
    proposed.push_back(*std::move(chosen));
  }
  while (proposed.size() < n) {
    std::vector<Configuration> others =
        strategy->propose(n - proposed.size());
    if (others.empty())
      break;
    // The strategy does not know what is pending.
    for (Configuration &point : others)
      if (fresh.take(point))
        proposed.push_back(std::move(point));
  }
  return proposed;
}

void PriorSearch::observe(std::span<const Trial> trials) {
  strategy->observe(trials);
  for (const Trial &trial : trials) {
    fresh.take(trial.configuration);
    if (trial.status == Status::lost || trial.status == Status::contended)
      continue;
    std::optional<double> ratio = trial.ratioBound;
    if (trial.measurement)
      ratio = trial.measurement->ratio;
    if (ratio && !firstRatio)
      firstRatio = ratio;
    std::optional<double> logTime;
    if (ratio && *ratio > 0)
      logTime = std::log(*ratio / *firstRatio);
    model.observe(values(trial.configuration), logTime);
  }
}

std::string PriorSearch::explain(const Configuration &candidate) const {
  auto own = reasons.find(candidate);
  return own != reasons.end() ? own->second : strategy->explain(candidate);
}
