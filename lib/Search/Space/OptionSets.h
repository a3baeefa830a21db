//===- Sets of a knob's options, numbered ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SEARCH_SPACE_OPTIONSETS_H
#define TONNO_LIB_SEARCH_SPACE_OPTIONSETS_H

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tonno {

/// Sets of options of one knob, each with a number: equal sets, equal numbers.
class OptionSets {
public:
  static constexpr uint32_t all = 0, empty = ~uint32_t(0);

  explicit OptionSets(size_t options);

  /// The number of the set with the options whose bits are set.
  uint32_t add(std::vector<uint64_t> words);

  uint32_t intersection(uint32_t one, uint32_t other);

  /// Precondition: the set isn't empty.
  bool has(uint32_t set, uint32_t option) const {
    return sets[set * width + option / 64] >> option % 64 & 1;
  }

private:
  struct Hash {
    size_t operator()(const std::vector<uint64_t> &words) const;
  };

  size_t width; ///< words of a set
  std::vector<uint64_t> sets;
  std::unordered_map<std::vector<uint64_t>, uint32_t, Hash> numbers;
  std::unordered_map<uint64_t, uint32_t> intersections; ///< by both numbers
};

} // namespace tonno

#endif // TONNO_LIB_SEARCH_SPACE_OPTIONSETS_H
