//===- Constraints as trees -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SPACE_CONSTRAINTTREE_H
#define TONNO_LIB_SPACE_CONSTRAINTTREE_H

#include "ConstraintProgram.h"

namespace tonno::constraint {

/// The operations of expressions, of resolved nodes and of instructions.
enum class Kind : uint8_t {
  // Leaves.
  integer,
  boolean,
  string,
  knob,
  element,
  // One operand.
  negate,
  logicalNot,
  // Two integers.
  add,
  subtract,
  multiply,
  floordiv,
  ceildiv,
  mod,
  // Two of a kind; strings and booleans are only equal or not.
  equal,
  notEqual,
  less,
  lessEqual,
  greater,
  greaterEqual,
  // Two or more conditions, from left to right. `,` is a conjunction too.
  conjunction,
  disjunction,
  // A condition and what follows if it holds, and if not.
  conditional,
  // Instructions only.
  load,         ///< slot = operand
  test,         ///< slot = truth of table `operand`; ends where undefined
  require,      ///< ends where table `operand` says undefined
  decide,       ///< ends with the truth of table `operand`
  jump,         ///< goes to instruction `operand`
  jumpIfBroken, ///< the same if slot is 0
  jumpIfHolds,  ///< the same if slot isn't 0
  end,          ///< ends with slot 0
};

/// Limits the nesting of expressions, parsed or compiled, so that recursions do
/// not overflow the stack.
inline constexpr unsigned maxHeight = 256;

/// A node of a condition.
struct Expression {
  Kind kind = Kind::boolean;
  size_t begin = 0;    ///< of its text, in bytes from 0
  size_t end = 0;      ///< past its text
  unsigned height = 1; ///< of the tree, at most maxHeight
  int64_t number = 0;  ///< of an integer; 0 or 1 of a boolean; the index of an
                       ///< element, never negative
  std::string text;    ///< of a string; the name of a knob or an element's knob
  std::vector<Expression> operands;

  size_t column() const { return begin + 1; }
};

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
