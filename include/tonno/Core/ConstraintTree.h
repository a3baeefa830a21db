//===- A condition over the knobs of a space ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_CONSTRAINTTREE_H
#define TONNO_CORE_CONSTRAINTTREE_H

#include "tonno/Core/Constraint.h"
#include "tonno/Core/ConstraintExpression.h"
#include "tonno/Core/SearchSpace.h"

#include <span>

namespace tonno::constraint {

/// Which kinds of values an expression has, as a set.
using Kinds = uint8_t;
inline constexpr Kinds integers = 1, booleans = 2, strings = 4,
                       others = 8, ///< lists, and attributes as text
    numbered = 16; ///< none of its own: integers or booleans that stand for
                   ///< themselves no more, since others are among them

/// An expression whose knobs and types are known. Its values are numbers: 0 and
/// 1 for booleans; for what is not always an integer and not always a boolean,
/// numbers that are equal where the values are.
struct Node {
  Kind kind = Kind::integer;
  size_t begin = 0, end = 0; ///< of its text
  Kinds kinds = integers;
  std::vector<uint32_t> knobs; ///< those that it depends on, ascending
  std::vector<Node> operands;

  /// Of a leaf, one for each option of its knob; one of a literal.
  std::vector<int64_t> values;
  std::vector<Json> options;

  bool isLeaf() const { return operands.empty(); }
  bool isCondition() const { return kinds == booleans; }
};

/// The constraint as a tree; the error says what can't be compared or computed,
/// or which knob isn't there.
Result<Node, ConstraintError> resolve(const Constraint &constraint,
                                      std::span<const Knob> knobs);

/// The conditions that together are this one, in the order of evaluation.
std::vector<const Node *> conjuncts(const Node &condition);

/// How many configurations of the node's knobs there are; saturates at 2^64-1.
uint64_t countCombinations(const std::vector<uint32_t> &of,
                           std::span<const Knob> knobs);

/// Its value where each knob has this option. None where it is undefined;
/// `culprit`, if given, is then the operation.
std::optional<int64_t> evaluate(const Node &node, const uint32_t *options,
                                const Node **culprit = nullptr);

} // namespace tonno::constraint

#endif // TONNO_CORE_CONSTRAINTTREE_H
