//===- The legal points, counted ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/LegalSpace.h"
#include "tonno/Core/Statistics.h"
#include "ImportanceSampler.h"
#include "RelaxedDiagram.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

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

static ScaledNumber sizeOf(const SearchSpace &space) {
  ScaledNumber size = 1;
  for (const Knob &knob : space.knobs())
    size = size * static_cast<double>(knob.options.size());
  return size;
}

void LegalSpace::setExactCount() {
  auto points = static_cast<double>(diagram.points());
  setCount(points, 1, points, points, Exactness::exact);
  legalCount.exact = diagram.count();
}

void LegalSpace::setCount(double points, double share, double low, double high,
                          Exactness exactness) {
  ScaledNumber size = sizeOf(searchSpace);
  bool isFinite = std::isfinite(static_cast<double>(size));
  legalCount.points = points;
  legalCount.exact = 0;
  legalCount.share =
      isFinite ? ScaledNumber(points) / size : diagram.points() * share / size;
  legalCount.low = low;
  legalCount.high = high;
  legalCount.exactness = exactness;
}

std::shared_ptr<const LegalSpace>
LegalSpace::of(const SearchSpace &space, std::vector<Configuration> points) {
  std::shared_ptr<LegalSpace> legal(new LegalSpace(space));
  legal->diagram = Diagram::of(std::move(points), space.knobs().size());
  legal->isList = true;
  legal->setExactCount();
  return legal;
}

std::shared_ptr<const LegalSpace> LegalSpace::create(const SearchSpace &space,
                                                     Limits limits) {
  std::shared_ptr<LegalSpace> legal(new LegalSpace(space));
  Conditions conditions(space);
  RelaxedDiagram relaxed =
      RelaxedDiagram::create(conditions, space.knobs(), limits);
  legal->diagram = std::move(relaxed.diagram);
  legal->workDone.inAll = relaxed.work;
  legal->setExactCount();
  if (relaxed.dropped.empty() || legal->diagram.isEmpty())
    return legal;
  std::set<size_t> tangled;
  for (const PartialCondition *condition : relaxed.dropped)
    tangled.insert(conditions.constraintOf(*condition));
  legal->tangled.assign(tangled.begin(), tangled.end());
  if (!legal->estimate(limits)) {
    legal->approximate(limits, relaxed.dropped);
    legal->enumerate(limits);
  }
  return legal;
}

/// Of a share of which so many of some draws were: covers where it is tiny, and
/// where none were (E. B. Wilson, 1927).
static Interval wilsonInterval(double hits, double draws) {
  constexpr double z = 1.96;
  double middle = hits + z * z / 2;
  double width = z * std::sqrt(hits * (1 - hits / draws) + z * z / 4);
  double low = hits > 0 ? middle - width : 0;
  return {low / (draws + z * z), (middle + width) / (draws + z * z)};
}

/// Returns this share of the diagram's points.
double LegalSpace::partOfDiagram(double share) const {
  return std::copysign(static_cast<double>(diagram.points() * std::fabs(share)),
                       share);
}

/// By the share of the diagram's points that are legal; false where that is too
/// small to draw them so.
bool LegalSpace::estimate(const Limits &limits) {
  constexpr size_t fewest = 16; // legal ones; with fewer rejecting takes long
  constexpr size_t enough = 1500, fewDraws = 20000;
  const size_t perDraw = 1 + searchSpace.knobs().size();
  size_t mostDraws = limits.mostDrawn / perDraw;
  Random random(1);
  Configuration point = searchSpace.defaultConfiguration();
  size_t hits = 0, draws = 0;
  while (draws < mostDraws && (draws < fewDraws || hits < enough)) {
    ++draws;
    diagram.draw(random, point);
    if (!searchSpace.isLegal(point))
      continue;
    ++hits;
    if (hits <= fewest)
      pool.push_back(point);
  }
  workDone.drawn = draws * perDraw;
  accepted = static_cast<double>(hits) / static_cast<double>(draws);
  Interval share =
      wilsonInterval(static_cast<double>(hits), static_cast<double>(draws));
  setCount(partOfDiagram(accepted), accepted, partOfDiagram(share.low),
           partOfDiagram(share.high), Exactness::estimated);
  if (hits < fewest)
    return false;
  pool.clear();
  return true;
}

/// Lists the legal points where they are few.
void LegalSpace::enumerate(const Limits &limits) {
  constexpr size_t most = size_t(1) << 17;
  if (legalCount.exactness == Exactness::exact ||
      legalCount.high > static_cast<double>(most))
    return;
  LegalPoints points(searchSpace, limits.mostListing);
  std::vector<Configuration> all;
  while (auto point = points.next()) {
    all.push_back(*std::move(point));
    if (all.size() > most)
      return;
  }
  if (points.gaveUp())
    return;
  diagram = Diagram::of(std::move(all), searchSpace.knobs().size());
  setExactCount();
  legalCount.effectiveSamples = 0;
  pool.clear();
  poolWeights.clear();
  tangled.clear();
}

size_t LegalSpace::affordable(size_t draws) const {
  constexpr double mostTries = 1 << 17, fewest = 4;
  constexpr double walked = 1280; // tries of an approximate draw
  if (legalCount.exactness == Exactness::exact)
    return draws;
  double perDraw =
      legalCount.exactness == Exactness::approximate ? walked : 1 / accepted;
  // Many constraints take their time too.
  perDraw *= 1 + static_cast<double>(searchSpace.constraints().size()) / 16;
  double most = std::max(fewest, mostTries / perDraw);
  return std::min(draws, static_cast<size_t>(most));
}

/// By draws with a look ahead, and weights that make up for it. What drawing
/// without it found stands, and its interval where theirs can't be trusted.
void LegalSpace::approximate(const Limits &limits,
                             std::span<const PartialCondition *const> dropped) {
  constexpr size_t mostKept = 4096;
  constexpr double trusted = 100; // effective samples, of an interval
  ImportanceSampler sampler(diagram, dropped, searchSpace.knobs().size());
  Random random(2);
  Configuration point;
  double sum = 0, squares = 0;
  size_t drawn = 0;
  std::vector<Configuration> uniform = std::exchange(pool, {});
  while (sampler.work() < limits.mostAhead && pool.size() < mostKept) {
    ++drawn;
    double weight = sampler.draw(random, point);
    if (weight == 0 || !searchSpace.isLegal(point))
      continue;
    sum += weight;
    squares += weight * weight;
    pool.push_back(point);
    poolWeights.push_back(sum);
  }
  workDone.ahead = sampler.work();
  double worth = pool.empty() ? 0 : sum * sum / squares;
  if (worth < static_cast<double>(uniform.size()) || pool.empty()) {
    pool = std::move(uniform);
    poolWeights.clear();
    bool gaveUp = false;
    if (pool.empty())
      if (auto first = searchSpace.firstLegal(
              std::vector<bool>(searchSpace.knobs().size()), &gaveUp))
        pool.push_back(*std::move(first));
    for (size_t i = 0; i < pool.size(); ++i)
      poolWeights.push_back(static_cast<double>(i + 1));
    if (pool.empty() && !gaveUp) {
      setCount(0, 0, 0, 0, Exactness::exact);
      return;
    }
    worth = static_cast<double>(pool.size());
  }
  legalCount.effectiveSamples = worth;
  auto found = static_cast<double>(
      std::set<Configuration>(pool.begin(), pool.end()).size());
  double low = std::max(legalCount.low, found), high = legalCount.high;
  double points = std::max(legalCount.points, found), share = accepted;
  if (legalCount.effectiveSamples >= trusted) {
    auto n = static_cast<double>(drawn);
    double mean = sum / n;
    double error = 1.96 * std::sqrt((squares / n - mean * mean) / n);
    share = mean;
    points = std::clamp(partOfDiagram(mean), low, high);
    low = std::max(low, std::min(points, partOfDiagram(mean - error)));
    high = std::min(high, std::max(points, partOfDiagram(mean + error)));
  } else if (legalCount.low == 0) {
    points = found;
    legalCount.isLeast = true;
  }
  setCount(points, share, low, high, Exactness::approximate);
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
