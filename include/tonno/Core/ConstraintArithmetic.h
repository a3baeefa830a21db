//===- Integers that overflow nowhere -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_CONSTRAINTARITHMETIC_H
#define TONNO_CORE_CONSTRAINTARITHMETIC_H

#include "tonno/Core/ConstraintExpression.h"

#include <limits>

namespace tonno::constraint {

/// The quotient rounded down. False where it is undefined.
inline bool floorDivide(int64_t a, int64_t b, int64_t &result) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min()))
    return false;
  result = a / b;
  if (a % b != 0 && (a < 0) != (b < 0))
    --result;
  return true;
}

/// The quotient rounded up. False where it is undefined.
inline bool ceilDivide(int64_t a, int64_t b, int64_t &result) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min()))
    return false;
  result = a / b;
  if (a % b != 0 && (a < 0) == (b < 0))
    ++result;
  return true;
}

/// The remainder, from 0 to |b| - 1. False where it is undefined.
inline bool remainder(int64_t a, int64_t b, int64_t &result) {
  if (b == 0)
    return false;
  result = b == -1 ? 0 : a % b; // the machine traps on the least by -1
  if (result < 0)
    result = b < 0 ? result - b : result + b;
  return true;
}

/// An operation on two values. False where it is undefined: it overflows, or
/// divides by zero.
inline bool apply(Kind kind, int64_t a, int64_t b, int64_t &result) {
  switch (kind) {
  case Kind::add:
    return !__builtin_add_overflow(a, b, &result);
  case Kind::subtract:
    return !__builtin_sub_overflow(a, b, &result);
  case Kind::multiply:
    return !__builtin_mul_overflow(a, b, &result);
  case Kind::floordiv:
    return floorDivide(a, b, result);
  case Kind::ceildiv:
    return ceilDivide(a, b, result);
  case Kind::mod:
    return remainder(a, b, result);
  case Kind::equal:
    result = a == b;
    return true;
  case Kind::notEqual:
    result = a != b;
    return true;
  case Kind::less:
    result = a < b;
    return true;
  case Kind::lessEqual:
    result = a <= b;
    return true;
  case Kind::greater:
    result = a > b;
    return true;
  case Kind::greaterEqual:
    result = a >= b;
    return true;
  default:
    return false;
  }
}

} // namespace tonno::constraint

#endif // TONNO_CORE_CONSTRAINTARITHMETIC_H
