//===- LegalSpace.cpp - The legal points, counted -------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Search/LegalSpace.h"
#include "ImportanceSampler.h"
#include "RelaxedDiagram.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace tonno;

std::string_view tonno::toString(Exactness exactness) {
  switch (exactness) {
  case Exactness::exact:
    return "exact";
  case Exactness::estimated:
    return "estimated";
  case Exactness::approximate:
    break;
  }
  return "approximate";
}

static double sizeOf(const SearchSpace &space) {
  double size = 1;
  for (const Knob &knob : space.knobs())
    size *= static_cast<double>(knob.options.size());
  return size;
}

void LegalSpace::setCount(double points, double low, double high,
                          Exactness exactness) {
  legalCount.points = points;
  legalCount.share = points / sizeOf(searchSpace);
  legalCount.low = low;
  legalCount.high = high;
  legalCount.exactness = exactness;
}

std::shared_ptr<const LegalSpace>
LegalSpace::of(const SearchSpace &space, std::vector<Configuration> points) {
  std::shared_ptr<LegalSpace> legal(new LegalSpace(space));
  legal->diagram = Diagram::of(std::move(points), space.knobs().size());
  legal->isList = true;
  double count = legal->diagram.points();
  legal->setCount(count, count, count, Exactness::exact);
  return legal;
}

std::shared_ptr<const LegalSpace> LegalSpace::create(const SearchSpace &space,
                                                     Limits limits) {
  std::shared_ptr<LegalSpace> legal(new LegalSpace(space));
  Conditions conditions(space);
  RelaxedDiagram relaxed =
      RelaxedDiagram::create(conditions, space.knobs(), limits);
  legal->diagram = std::move(relaxed.diagram);
  double count = legal->diagram.points();
  legal->setCount(count, count, count, Exactness::exact);
  if (relaxed.dropped.empty() || count == 0)
    return legal;
  std::set<size_t> tangled;
  for (const PartialCondition *condition : relaxed.dropped)
    tangled.insert(conditions.constraintOf(*condition));
  legal->tangled.assign(tangled.begin(), tangled.end());
  legal->estimate(limits.mostDraws);
  if (legal->legalCount.points == 0)
    legal->approximate(relaxed.dropped, limits.mostDraws, limits.mostInAll);
  return legal;
}

/// By the share of the diagram's points that are legal; none where that is too
/// small to draw them so.
void LegalSpace::estimate(size_t draws) {
  constexpr size_t fewest = 50; // legal ones; with fewer rejecting takes long
  Random random(1);
  Configuration point = searchSpace.defaultConfiguration();
  size_t legal = 0;
  for (size_t i = 0; i < draws; ++i) {
    diagram.draw(random, point);
    legal += searchSpace.isLegal(point);
  }
  double share = static_cast<double>(legal) / static_cast<double>(draws);
  double error =
      1.96 * std::sqrt(share * (1 - share) / static_cast<double>(draws));
  double points = diagram.points();
  if (legal < fewest)
    share = error = 0;
  setCount(points * share, points * std::max(0.0, share - error),
           points * std::min(1.0, share + error), Exactness::estimated);
}

/// By weighted draws, of which the legal ones are kept.
void LegalSpace::approximate(std::span<const PartialCondition *const> dropped,
                             size_t draws, size_t mostWork) {
  constexpr size_t mostKept = 4096;
  size_t parts = 1; // of which a draw finds intervals
  for (const PartialCondition *condition : dropped)
    for (uint32_t knob : condition->knobs().members())
      parts += condition->size() * searchSpace.knobs()[knob].options.size();
  draws = std::min(draws, 16 * mostWork / parts + 1);
  ImportanceSampler sampler(diagram, dropped, searchSpace.knobs().size());
  Random random(1);
  Configuration point;
  double sum = 0, squares = 0;
  size_t drawn = 0;
  for (; drawn < draws && pool.size() < mostKept; ++drawn) {
    double weight = sampler.draw(random, point);
    if (weight == 0 || !searchSpace.isLegal(point))
      continue;
    sum += weight;
    squares += weight * weight;
    pool.push_back(point);
    poolWeights.push_back(sum);
  }
  if (pool.empty()) {
    // One is better than none.
    bool gaveUp = false;
    auto first = searchSpace.firstLegal(
        std::vector<bool>(searchSpace.knobs().size()), &gaveUp);
    if (first) {
      pool.push_back(*first);
      poolWeights.push_back(1);
    }
    bool isEmpty = !first && !gaveUp;
    setCount(pool.size(), pool.size(), isEmpty ? 0 : diagram.points(),
             isEmpty ? Exactness::exact : Exactness::approximate);
    legalCount.effectiveSamples = static_cast<double>(pool.size());
    return;
  }
  auto n = static_cast<double>(drawn);
  double mean = sum / n;
  double error = 1.96 * std::sqrt((squares / n - mean * mean) / n);
  double points = diagram.points();
  setCount(points * mean, points * std::max(0.0, mean - error),
           points * std::min(1.0, mean + error), Exactness::approximate);
  legalCount.effectiveSamples = sum * sum / squares;
}

bool LegalSpace::contains(const Configuration &point) const {
  return isList ? diagram.contains(point) : searchSpace.isLegal(point);
}

std::optional<std::vector<Configuration>> LegalSpace::list(size_t most) const {
  if (legalCount.exactness == Exactness::exact)
    return legalCount.points <= static_cast<double>(most)
               ? std::optional(diagram.list())
               : std::nullopt;
  constexpr uint64_t mostSteps = uint64_t(1) << 26; // a second or two
  LegalPoints points(searchSpace, mostSteps);
  std::vector<Configuration> all;
  while (auto point = points.next()) {
    if (all.size() == most)
      return std::nullopt;
    all.push_back(*std::move(point));
  }
  return points.gaveUp() ? std::nullopt : std::optional(std::move(all));
}
