//===- Text without the blanks around it ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_TRIM_H
#define TONNO_CORE_TRIM_H

#include <string_view>

namespace tonno {

/// Returns the text without blanks, tabs and ends of lines around it.
inline std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  size_t first = text.find_first_not_of(blanks);
  if (first == text.npos)
    return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

} // namespace tonno

#endif // TONNO_CORE_TRIM_H
