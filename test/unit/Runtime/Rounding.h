//===- Numbers of fewer bits than C++ has ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TEST_UNIT_RUNTIME_ROUNDING_H
#define TONNO_TEST_UNIT_RUNTIME_ROUNDING_H

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tonno {

/// Rounds to a number with this many bits of significand: 8 is bf16, 11 is f16
/// and tf32, 24 is f32, their ranges of exponents aside.
template <typename T> T roundTo(T x, int bits) {
  using Pattern = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  int dropped = std::numeric_limits<T>::digits - bits;
  if (dropped <= 0)
    return x;
  auto pattern = std::bit_cast<Pattern>(x);
  pattern += (Pattern(1) << (dropped - 1)) - 1 + ((pattern >> dropped) & 1);
  pattern &= ~((Pattern(1) << dropped) - 1);
  return std::bit_cast<T>(pattern);
}

} // namespace tonno

#endif // TONNO_TEST_UNIT_RUNTIME_ROUNDING_H
