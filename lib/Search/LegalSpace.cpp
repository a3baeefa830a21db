//===- LegalSpace.cpp - The legal points, to draw from --------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Search/LegalSpace.h"

#include <cmath>

using namespace tonno;

static double sizeOf(const SearchSpace &space) {
  double size = 1;
  for (const Knob &knob : space.knobs())
    size *= static_cast<double>(knob.options.size());
  return size;
}

std::shared_ptr<const LegalSpace>
LegalSpace::create(const SearchSpace &space,
                   std::vector<Configuration> points) {
  std::shared_ptr<LegalSpace> legal(new LegalSpace(space));
  legal->diagram = Diagram::of(std::move(points), space.knobs().size());
  legal->isListed = true;
  double count = legal->diagram.isEmpty() ? 0 : legal->diagram.points();
  legal->legalCount = {count, count / sizeOf(space), Exactness::exact, count,
                       count};
  return legal;
}

bool LegalSpace::contains(const Configuration &point) const {
  return isListed ? diagram.contains(point) : searchSpace.isLegal(point);
}

LegalSampler::LegalSampler(std::shared_ptr<const LegalSpace> space)
    : legalSpace(std::move(space)), restricted(legalSpace->diagram),
      ranges(legalSpace->space().knobs().size()) {}

std::optional<Configuration> LegalSampler::draw(Random &random) {
  if (legalSpace->diagram.isEmpty())
    return std::nullopt;
  Configuration point;
  point.indices.resize(ranges.size());
  legalSpace->diagram.draw(random, point);
  return point;
}

std::optional<Configuration> LegalSampler::drawWithin(Random &random) {
  Configuration point;
  point.indices.resize(ranges.size());
  if (!restricted.draw(ranges, random, point))
    return std::nullopt;
  return point;
}

std::optional<Configuration>
LegalSampler::complete(const Configuration &point,
                       std::span<const uint32_t> freeKnobs, Random &random) {
  for (size_t knob = 0; knob < ranges.size(); ++knob)
    ranges[knob] = {point.indices[knob], point.indices[knob], false};
  for (uint32_t knob : freeKnobs)
    ranges[knob].isFree = true;
  return drawWithin(random);
}

std::optional<Configuration> LegalSampler::cross(const Configuration &one,
                                                 const Configuration &other,
                                                 Random &random) {
  for (size_t knob = 0; knob < ranges.size(); ++knob)
    ranges[knob] = {one.indices[knob], other.indices[knob], false};
  return drawWithin(random);
}

std::optional<Configuration> LegalSampler::nearest(const Configuration &point) {
  if (legalSpace->diagram.isEmpty())
    return std::nullopt;
  std::vector<std::vector<double>> costs;
  for (const Knob &knob : legalSpace->space().knobs()) {
    uint32_t at = point.indices[costs.size()];
    double scale =
        std::max<double>(1, static_cast<double>(knob.options.size()) - 1);
    std::vector<double> &cost = costs.emplace_back(knob.options.size());
    for (uint32_t option = 0; option < cost.size(); ++option)
      if (option != at)
        cost[option] = 0.5 + std::abs(static_cast<double>(option) - at) / scale;
  }
  return legalSpace->diagram.cheapest(costs);
}
