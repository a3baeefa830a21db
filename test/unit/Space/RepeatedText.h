//===- Long constraints ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TEST_UNIT_CORE_REPEATEDTEXT_H
#define TONNO_TEST_UNIT_CORE_REPEATEDTEXT_H

#include <cstddef>
#include <string>
#include <string_view>

namespace tonno {

/// Returns `count` copies of the text, one after the other.
inline std::string repeat(std::string_view text, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i)
    all += text;
  return all;
}

} // namespace tonno

#endif // TONNO_TEST_UNIT_CORE_REPEATEDTEXT_H
