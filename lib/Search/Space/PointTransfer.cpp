//===- Points of one space in another -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/PointTransfer.h"

#include <cmath>
#include <limits>

using namespace tonno;

PointTransfer::PointTransfer(std::shared_ptr<const LegalSpace> space)
    : space(std::move(space)), encoding(this->space->space()),
      sampler(this->space) {}

static double distance(double one, double other) {
  return one > 0 && other > 0 ? std::abs(std::log2(one / other))
                              : std::abs(one - other);
}

std::optional<uint32_t> PointTransfer::nearestOption(size_t index,
                                                     const Json &value) const {
  const Knob &knob = space->space().knobs()[index];
  if (auto same = knob.indexOf(value))
    return same;
  if (!encoding.isOrdered(index) || !value.is_number())
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
