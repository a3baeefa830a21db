//===- The most promising points of a space -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PriorPool.h"

#include <algorithm>

using namespace tonno;

/// Points drawn anew for each proposal; then neighbours of the most promising
/// few, for some rounds.
static constexpr size_t numDrawn = 1000;
static constexpr size_t numRounds = 3;
static constexpr size_t numImproved = 4;
/// Points of which it matters how sure their predictions are.
static constexpr size_t numFinalists = 64;

PriorKnobOrder::PriorKnobOrder(const SearchSpace &space,
                               const PriorTask &task) {
  const std::vector<Knob> &knobs = space.knobs();
  for (const std::string &knob : task.knobs)
    places.push_back(static_cast<size_t>(
        std::ranges::find(knobs, knob, &Knob::name) - knobs.begin()));
}

std::vector<Json> PriorKnobOrder::values(const SearchSpace &space,
                                         const Configuration &point) const {
  std::vector<Json> values;
  for (size_t place : places)
    values.push_back(space.knobs()[place].options[point.indices[place]]);
  return values;
}

std::optional<Configuration>
PriorPool::findBest(const PriorModel &model, double caution, Random &random) {
  std::vector<Configuration> pool;
  std::vector<std::vector<Json>> asked;
  std::vector<double> losses;
  std::unordered_set<Configuration, ConfigurationHash> distinct;
  auto add = [&](Configuration point) {
    if (!fresh.isFresh(point) || !distinct.insert(point).second)
      return;
    asked.push_back(values(point));
    pool.push_back(std::move(point));
  };
  // Returns the most promising points, of those that were not improved.
  std::unordered_set<size_t> improved;
  auto findFirst = [&](size_t most) {
    std::ranges::copy(
        model.predictLosses(std::span(asked).subspan(losses.size())),
        std::back_inserter(losses));
    std::vector<size_t> order;
    for (size_t i = 0; i < pool.size(); ++i)
      if (!improved.contains(i))
        order.push_back(i);
    most = std::min(most, order.size());
    std::ranges::partial_sort(
        order, order.begin() + static_cast<ptrdiff_t>(most), {},
        [&](size_t i) { return std::pair(losses[i], i); });
    order.resize(most);
    return order;
  };
  size_t wanted = fresh.space().limitDraws(numDrawn);
  for (size_t i = 0; i < wanted; ++i)
    if (auto point = fresh.draw(random))
      add(*std::move(point));
  for (size_t round = 0; round < numRounds; ++round)
    for (size_t i : findFirst(numImproved)) {
      improved.insert(i);
      for (size_t knob = 0; knob < encoding.knobs(); ++knob)
        for (uint32_t option :
             encoding.neighbours(knob, pool[i].indices[knob], /*radius=*/16)) {
          Configuration neighbour = pool[i];
          neighbour.indices[knob] = option;
          add(std::move(neighbour));
        }
    }
  improved.clear();
  std::vector<size_t> finalists = findFirst(numFinalists);
  if (finalists.empty())
    return std::nullopt;
  std::vector<std::vector<Json>> ofFinalists;
  for (size_t i : finalists)
    ofFinalists.push_back(asked[i]);
  std::vector<PriorModel::Prediction> predictions = model.predict(ofFinalists);
  auto best = std::ranges::min_element(
      predictions, {}, [&](const PriorModel::Prediction &each) {
        return each.loss + caution * each.deviation;
      });
  return pool[finalists[static_cast<size_t>(best - predictions.begin())]];
}
