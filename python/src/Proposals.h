//===- Proposals that Python makes ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_SRC_PROPOSALS_H
#define PYTHON_SRC_PROPOSALS_H

#include "Space.h"

#include "tonno/Engine/Frontend.h"

namespace tonno::python {

/// Returns configuration, status, seconds, message and value of a trial.
nanobind::tuple toTuple(const Space &space, const Trial &trial,
                        Objective objective);

/// Calls a `tonno.proposals.Proposals` with the trials so far, and returns its
/// legal configurations. Takes the interpreter's lock.
std::vector<Configuration> callProposer(const Space &space,
                                        const nanobind::object &proposer,
                                        std::span<const Trial> trials,
                                        Objective objective);

} // namespace tonno::python

#endif // PYTHON_SRC_PROPOSALS_H
