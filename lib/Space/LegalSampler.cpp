//===- Legal points, drawn ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Space/Encoding.h"
#include "tonno/Space/LegalSpace.h"
#include "Diagram.h"

#include <limits>

using namespace tonno;

struct LegalSampler::State {
  RestrictedDraw restricted;
  std::vector<KnobRange> ranges; ///< of the draw being made
};

LegalSampler::LegalSampler(std::shared_ptr<const LegalSpace> space)
    : legalSpace(std::move(space)),
      state(std::make_unique<State>(
          RestrictedDraw(*legalSpace->diagram),
          std::vector<KnobRange>(legalSpace->space().knobs().size()))) {}

LegalSampler::LegalSampler(LegalSampler &&) noexcept = default;
LegalSampler::~LegalSampler() = default;

uint64_t LegalSampler::work() const {
  return state->restricted.edgesCounted() + steps;
}

void LegalSampler::fixAllKnobs(const Configuration &point) {
  for (size_t knob = 0; knob < state->ranges.size(); ++knob)
    state->ranges[knob] = {point.indices[knob], point.indices[knob], false};
}

std::optional<Configuration> LegalSampler::draw(Random &random) {
  const LegalCount &count = legalSpace->count();
  if (count.points == 0)
    return std::nullopt;
  Configuration point;
  point.indices.resize(state->ranges.size());
  constexpr size_t most = size_t(1) << 22; // hundreds for each legal one
  for (size_t tries = 0; tries < most; ++tries) {
    steps += point.indices.size();
    legalSpace->diagram->draw(random, point);
    if (count.exactness != Exactness::estimated || legalSpace->contains(point))
      return point;
  }
  return std::nullopt;
}

std::optional<Configuration> LegalSampler::drawWithin(Random &random) {
  constexpr double mostListed = 512;
  constexpr size_t mostTries = 1024; // where it may miss the legal points
  auto &[restricted, ranges] = *state;
  double within = restricted.restrict(ranges);
  if (within <= 0)
    return std::nullopt;
  bool isLegal = legalSpace->count().exactness != Exactness::estimated;
  std::optional<Configuration> found;
  if (!isLegal && within <= mostListed) {
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
  for (size_t tries = 0; tries < mostTries && !found; ++tries) {
    steps += ranges.size();
    restricted.draw(random, point);
    if (isLegal || legalSpace->contains(point))
      found = std::move(point);
  }
  return found;
}

std::optional<Configuration>
LegalSampler::complete(const Configuration &point,
                       std::span<const uint32_t> freeKnobs, Random &random) {
  fixAllKnobs(point);
  for (uint32_t knob : freeKnobs)
    state->ranges[knob].isFree = true;
  return drawWithin(random);
}

std::optional<Configuration> LegalSampler::cross(const Configuration &one,
                                                 const Configuration &other,
                                                 Random &random) {
  for (size_t knob = 0; knob < state->ranges.size(); ++knob)
    state->ranges[knob] = {one.indices[knob], other.indices[knob], false};
  return drawWithin(random);
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
  steps += legalSpace->diagram->edges();
  Configuration best = legalSpace->diagram->cheapest(costs);
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
    fixAllKnobs(best);
    for (size_t freed = 1 + i / 8; freed > 0; --freed)
      state->ranges[random.below(costs.size())].isFree = true;
    std::optional<Configuration> drawn =
        i < 60 || found ? drawWithin(random) : draw(random);
    if (drawn && (!found || distance(*drawn) < distance(*found)))
      found = std::move(drawn);
  }
  return found;
}

PointTransfer::PointTransfer(std::shared_ptr<const LegalSpace> space)
    : space(std::move(space)),
      encoding(std::make_shared<const Encoding>(this->space->space())),
      sampler(this->space) {}

static double distance(double one, double other) {
  return one > 0 && other > 0 ? std::abs(std::log2(one / other))
                              : std::abs(one - other);
}

std::optional<uint32_t> PointTransfer::nearestOption(size_t index,
                                                     const Json &value) const {
  const Knob &knob = space->space().knobs()[index];
  if (auto same = knob.findOptionIndex(value))
    return same;
  if (!encoding->isOrdered(index) || !value.is_number())
    return std::nullopt;
  std::optional<uint32_t> nearest;
  double least = std::numeric_limits<double>::infinity();
  for (uint32_t option = 0; option < knob.options.size(); ++option) {
    double far =
        distance(knob.options[option].get<double>(), value.get<double>());
    if (far < least) {
      least = far;
      nearest = option;
    }
  }
  return nearest;
}

std::optional<Configuration> PointTransfer::transfer(const Json &values) {
  const std::vector<Knob> &knobs = space->space().knobs();
  if (!values.is_object() || values.size() != knobs.size())
    return std::nullopt;
  Configuration point;
  for (size_t knob = 0; knob < knobs.size(); ++knob) {
    auto value = values.find(knobs[knob].name);
    if (value == values.end())
      return std::nullopt;
    auto option = nearestOption(knob, *value);
    if (!option)
      return std::nullopt;
    point.indices.push_back(*option);
  }
  return space->contains(point) ? std::optional(std::move(point))
                                : sampler.nearest(point, random);
}
