//===- A diagram of at least the legal points -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SEARCH_RELAXEDDIAGRAM_H
#define TONNO_LIB_SEARCH_RELAXEDDIAGRAM_H

#include "ConstraintDiagram.h"

#include "tonno/Core/Constraint.h"
#include "tonno/Search/LegalSpace.h"

#include <deque>
#include <memory>

namespace tonno {

/// The conditions of a space that each point satisfies, one by one.
class Conditions {
public:
  explicit Conditions(const SearchSpace &space);
  Conditions(const Conditions &) = delete;
  Conditions &operator=(const Conditions &) = delete;

  const std::deque<PartialCondition> &all() const { return conditions; }

  /// The index of the constraint that a condition is part of.
  size_t constraintOf(const PartialCondition &condition) const {
    return constraints[indexOf(condition)];
  }
  const constraint::Node &treeOf(const PartialCondition &condition) const {
    return *nodes[indexOf(condition)];
  }

private:
  size_t indexOf(const PartialCondition &condition) const;

  std::deque<constraint::Node> trees;
  std::deque<ConstraintProgram> programs; ///< of which the conditions have code
  std::deque<PartialCondition> conditions;
  std::vector<const constraint::Node *> nodes; ///< of each condition
  std::vector<size_t> constraints;
};

/// A diagram of at least the legal points.
struct RelaxedDiagram {
  Diagram diagram;
  /// The conditions that it does not know of.
  std::vector<const PartialCondition *> dropped;
  /// What it took to build it, and those that took too much or were larger.
  size_t work = 0;

  /// Of several orders of the knobs, the one with the smallest diagram. Where
  /// each takes too much work, without the conditions that leave most different
  /// remainders; of those that are on sums, rounded, as much as is affordable.
  static RelaxedDiagram create(const Conditions &conditions,
                               std::span<const Knob> knobs,
                               const LegalSpace::Limits &limits);
};

} // namespace tonno

#endif // TONNO_LIB_SEARCH_RELAXEDDIAGRAM_H
