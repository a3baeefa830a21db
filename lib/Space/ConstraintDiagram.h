//===- Decision diagrams of constraints -----------------------------------===//
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
  /// The work of building the diagram, including those that exceeded the limit
  /// or were larger.
  size_t work = 0;

  /// Builds the diagram with several orders of the knobs and returns the
  /// smallest. If each exceeds the limit, omits the conditions with the most
  /// distinct remainders.
  static RelaxedDiagram create(const SearchSpace &space,
                               const LegalSpace::Limits &limits);
};

} // namespace tonno

#endif // TONNO_LIB_SPACE_CONSTRAINTDIAGRAM_H
