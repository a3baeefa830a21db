//===- A search space for Python ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Space.h"
#include "Refusal.h"
#include "Values.h"

#include <algorithm>

using namespace tonno;
using namespace tonno::python;
namespace nb = nanobind;

Space::Space(SearchSpace space)
    : constrained(std::move(space)), unconstrained(constrained.knobs()) {}

Space::Space(SearchSpace space, std::vector<Configuration> points)
    : Space(std::move(space)) {
  isList = true;
  legalSpace = LegalSpace::of(constrained, std::move(points));
}

std::shared_ptr<const LegalSpace> Space::legal() const {
  std::call_once(isBuilt, [this] {
    if (!legalSpace)
      legalSpace = LegalSpace::create(constrained);
  });
  return legalSpace;
}

Configuration Space::point(nb::handle values) const {
  if (!nb::hasattr(values, "keys"))
    throw nb::type_error(
        ("a configuration must be a dict of knob values, not " +
         typeName(values))
            .c_str());
  nb::dict members;
  members.update(values);
  return valueOrThrow(unconstrained.configuration(toJson(members)));
}

Configuration Space::legalPoint(nb::handle values) const {
  Configuration found = point(values);
  Json json = constrained.values(found);
  valueOrThrow(
      constrained.configuration(json)); // says which constraint is broken
  if (isList && !legalSpace->contains(found))
    throw Refusal(printed(json) + " is not a point of the space");
  return found;
}

std::vector<Configuration> Space::legalPoints(const Points &values) const {
  std::vector<Configuration> points;
  for (nb::handle each : values)
    points.push_back(legalPoint(each));
  return points;
}

bool Space::isLegal(const Configuration &point) const {
  return isList ? legalSpace->contains(point) : constrained.isLegal(point);
}

Values Space::values(const Configuration &point) const {
  nb::dict values;
  const std::vector<Knob> &knobs = constrained.knobs();
  for (size_t i = 0; i < knobs.size(); ++i)
    values[nb::str(knobs[i].name.data(), knobs[i].name.size())] =
        toPython(knobs[i].options[point.indices[i]]);
  return Values(values);
}

Points Space::values(const std::vector<Configuration> &points) const {
  nb::list list;
  for (const Configuration &point : points)
    list.append(values(point));
  return Points(list);
}
