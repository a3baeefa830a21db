//===- A parsed condition -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_CONSTRAINTEXPRESSION_H
#define TONNO_CORE_CONSTRAINTEXPRESSION_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tonno::constraint {

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
};

/// No expression is nested deeper, parsed or compiled, so that none overflows
/// the stack of whoever walks it.
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

#endif // TONNO_CORE_CONSTRAINTEXPRESSION_H
