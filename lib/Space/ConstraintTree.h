//===- Constraints as trees -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SPACE_CONSTRAINTTREE_H
#define TONNO_LIB_SPACE_CONSTRAINTTREE_H

#include "tonno/Space/Expression.h"
#include "ConstraintProgram.h"

namespace tonno::constraint {

/// The kinds of values that an expression may have, as a set.
using Kinds = uint8_t;
inline constexpr Kinds integers = 1, booleans = 2, strings = 4,
                       others = 8, ///< lists, and attributes as text
    numbered = 16; ///< none of its own: integers or booleans that stand for
                   ///< themselves no more, since others are among them

/// An expression with resolved knobs and types. Values are numbers: 0 and 1 for
/// booleans; for expressions of mixed or other kinds, numbers that are equal if
/// and only if the values are.
struct Node {
  Kind kind = Kind::integer;
  size_t begin = 0, end = 0; ///< of its text
  Kinds kinds = integers;
  std::vector<uint32_t> knobs; ///< those that it depends on, ascending
  std::vector<Node> operands;

  /// A leaf's value for each option of its knob; a literal's single value.
  std::vector<int64_t> values;
  std::vector<Json> options;

  bool isLeaf() const { return operands.empty(); }
  bool isCondition() const { return kinds == booleans; }
};

/// Resolves the names and types of a constraint: knobs, and dimensions, which
/// become constants. The error says what can't be compared or computed, or
/// which name is unknown.
Result<Node, ConstraintError> resolve(const Constraint &constraint,
                                      std::span<const Knob> knobs,
                                      std::span<const Dimension> dimensions);

/// Returns the number of configurations of these knobs; saturates at 2^64-1.
uint64_t countCombinations(std::span<const uint32_t> of,
                           std::span<const Knob> knobs);

/// Compiles a condition, or an integer, whose value Code::run returns.
Code compile(const Node &node, std::span<const Knob> knobs,
             ConstraintLimits limits);

} // namespace tonno::constraint

#endif // TONNO_LIB_SPACE_CONSTRAINTTREE_H
