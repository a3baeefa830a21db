//===- Words of a list ----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BENCHMARKS_SEARCH_SPLIT_H
#define TONNO_BENCHMARKS_SEARCH_SPLIT_H

#include <algorithm>
#include <string_view>
#include <vector>

namespace tonno {

/// Splits the text at the separators, if any; the parts refer to the text.
inline std::vector<std::string_view> split(std::string_view text,
                                           char separator) {
  std::vector<std::string_view> words;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(separator, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

} // namespace tonno

#endif // TONNO_BENCHMARKS_SEARCH_SPLIT_H
