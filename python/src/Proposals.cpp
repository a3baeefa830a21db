//===- Proposals that Python makes ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proposals.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

using namespace tonno;
using namespace tonno::python;
namespace nb = nanobind;

nb::tuple tonno::python::toTuple(const Space &space, const Trial &trial,
                                 Objective objective) {
  std::optional<double> seconds, value;
  if (trial.measurement)
    (objective == Objective::value ? value : seconds) =
        trial.measurement->seconds.median;
  return nb::make_tuple(space.values(trial.configuration),
                        std::string(toString(trial.status)), seconds,
                        trial.ok() ? std::string() : trial.message, value);
}

std::vector<Configuration>
tonno::python::callProposer(const Space &space, const nb::object &proposer,
                            std::span<const Trial> trials,
                            Objective objective) {
  nb::gil_scoped_acquire locked;
  nb::list told;
  for (const Trial &trial : trials)
    told.append(toTuple(space, trial, objective));
  return space.legalPoints(nb::cast<Points>(proposer(told)));
}
