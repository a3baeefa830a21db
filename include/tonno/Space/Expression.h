//===- Expressions of constraints -------------------------------*- C++ -*-===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SPACE_EXPRESSION_H
#define TONNO_SPACE_EXPRESSION_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

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

} // namespace tonno::constraint

#endif // TONNO_SPACE_EXPRESSION_H
