//===- Diagrams of what constraints allow ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SPACE_CONSTRAINTDIAGRAM_H
#define TONNO_LIB_SPACE_CONSTRAINTDIAGRAM_H

#include "tonno/Space/LegalSpace.h"
#include "Diagram.h"

namespace tonno {

/// A diagram of at least the legal points of a space.
struct RelaxedDiagram {
  Diagram diagram;
  /// The constraints that it does not know of, or not all of, ascending.
  std::vector<size_t> tangled;
  /// What it took to build it, and those that took too much or were larger.
  size_t work = 0;

  /// Builds it with several orders of the knobs and takes the smallest. Where
  /// each takes too much work, leaves out the conditions that have most
  /// different remainders.
  static RelaxedDiagram create(const SearchSpace &space,
                               const LegalSpace::Limits &limits);
};

} // namespace tonno

#endif // TONNO_LIB_SPACE_CONSTRAINTDIAGRAM_H
