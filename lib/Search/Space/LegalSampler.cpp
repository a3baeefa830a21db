//===- Legal points, drawn ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/LegalSpace.h"

#include <algorithm>
#include <cmath>

using namespace tonno;

LegalSampler::LegalSampler(std::shared_ptr<const LegalSpace> space)
    : legalSpace(std::move(space)), restricted(legalSpace->diagram),
      ranges(legalSpace->space().knobs().size()) {}

/// How often drawing within ranges is tried where it may miss the legal points.
static constexpr size_t mostTries = 1024;

void LegalSampler::fixAll(const Configuration &point) {
  for (size_t knob = 0; knob < ranges.size(); ++knob)
    ranges[knob] = {point.indices[knob], point.indices[knob], false};
}

/// From points of the pool, by their weights.
void LegalSampler::startWalks(Random &random) {
  constexpr size_t most = 4096;
  const std::vector<double> &weights = legalSpace->poolWeights;
  for (size_t i = std::min(most, weights.size()); i > 0; --i) {
    double target = random.uniform() * weights.back();
    auto start = std::upper_bound(weights.begin(), weights.end() - 1, target);
    walkers.push_back(
        legalSpace->pool[static_cast<size_t>(start - weights.begin())]);
  }
}

/// From where another such draw ended, by random moves: a few knobs drawn anew,
/// where that is legal (a Metropolis-within-Gibbs chain whose distribution is
/// uniform).
const Configuration &LegalSampler::drawAround(Random &random) {
  constexpr size_t moves = 20, tries = 64;
  if (walkers.empty())
    startWalks(random);
  Configuration &point = walkers[random.below(walkers.size())];
  for (size_t i = 0; i < moves; ++i) {
    fixAll(point);
    for (size_t freed = 2 + random.below(3); freed > 0; --freed)
      ranges[random.below(ranges.size())].isFree = true;
    if (auto moved = drawWithin(random, tries))
      point = *std::move(moved);
  }
  return point;
}

std::optional<Configuration> LegalSampler::draw(Random &random) {
  const LegalCount &count = legalSpace->count();
  if (count.exactness == Exactness::approximate)
    return legalSpace->pool.empty() ? std::nullopt
                                    : std::optional(drawAround(random));
  if (count.points == 0)
    return std::nullopt;
  Configuration point;
  point.indices.resize(ranges.size());
  constexpr size_t most = size_t(1) << 22; // hundreds for each legal one
  for (size_t tries = 0; tries < most; ++tries) {
    steps += ranges.size();
    legalSpace->diagram.draw(random, point);
    if (count.exactness == Exactness::exact || legalSpace->contains(point))
      return point;
  }
  return std::nullopt;
}

std::optional<Configuration> LegalSampler::drawWithin(Random &random,
                                                      size_t tries) {
  constexpr double mostListed = 512;
  double within = restricted.restrict(ranges);
  if (within <= 0)
    return std::nullopt;
  bool isExact = legalSpace->count().exactness == Exactness::exact;
  std::optional<Configuration> found;
  if (!isExact && within <= mostListed) {
    size_t legal = 0;
    restricted.forEach([&](const Configuration &point) {
      steps += ranges.size();
      if (legalSpace->contains(point) && random.below(++legal) == 0)
        found = point;
    });
    return found;
  }
  Configuration point;
  point.indices.resize(ranges.size());
  for (; tries > 0 && !found; --tries) {
    steps += ranges.size();
    restricted.draw(random, point);
    if (isExact || legalSpace->contains(point))
      found = std::move(point);
  }
  return found;
}

std::optional<Configuration>
LegalSampler::complete(const Configuration &point,
                       std::span<const uint32_t> freeKnobs, Random &random) {
  fixAll(point);
  for (uint32_t knob : freeKnobs)
    ranges[knob].isFree = true;
  return drawWithin(random, mostTries);
}

std::optional<Configuration> LegalSampler::cross(const Configuration &one,
                                                 const Configuration &other,
                                                 Random &random) {
  for (size_t knob = 0; knob < ranges.size(); ++knob)
    ranges[knob] = {one.indices[knob], other.indices[knob], false};
  return drawWithin(random, mostTries);
}

static std::vector<std::vector<double>>
costsAround(const SearchSpace &space, const Configuration &point) {
  std::vector<std::vector<double>> costs;
  for (const Knob &knob : space.knobs()) {
    double at = point.indices[costs.size()];
    auto options = static_cast<double>(knob.options.size());
    std::vector<double> &cost = costs.emplace_back(knob.options.size());
    for (size_t option = 0; option < cost.size(); ++option) {
      double distance = std::abs(static_cast<double>(option) - at);
      if (distance > 0)
        cost[option] = 0.5 + distance / std::max(1.0, options - 1);
    }
  }
  return costs;
}

std::optional<Configuration> LegalSampler::nearest(const Configuration &point,
                                                   Random &random) {
  if (legalSpace->contains(point))
    return point;
  if (legalSpace->count().high == 0)
    return std::nullopt;
  std::vector<std::vector<double>> costs =
      costsAround(legalSpace->space(), point);
  steps += legalSpace->diagram.edges();
  Configuration best = legalSpace->diagram.cheapest(costs);
  if (legalSpace->contains(best))
    return best;

  // The diagram has others too: the nearest of some draws.
  auto distance = [&](const Configuration &drawn) {
    double sum = 0;
    for (size_t knob = 0; knob < costs.size(); ++knob)
      sum += costs[knob][drawn.indices[knob]];
    return sum;
  };
  std::optional<Configuration> found;
  for (size_t i = 0; i < 64; ++i) {
    fixAll(best);
    for (size_t freed = 1 + i / 8; freed > 0; --freed)
      ranges[random.below(ranges.size())].isFree = true;
    std::optional<Configuration> drawn =
        i < 60 || found ? drawWithin(random, mostTries) : draw(random);
    if (drawn && (!found || distance(*drawn) < distance(*found)))
      found = std::move(drawn);
  }
  return found;
}
