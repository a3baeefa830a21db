//===- A set of knobs -----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_KNOBSET_H
#define TONNO_CORE_KNOBSET_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tonno {

/// A set of knobs of a space, by their indices.
class KnobSet {
public:
  explicit KnobSet(size_t knobs) : words((knobs + 63) / 64) {}
  /// No knob has an index as large.
  size_t bound() const { return words.size() * 64; }
  KnobSet(size_t knobs, std::span<const uint32_t> members) : KnobSet(knobs) {
    for (uint32_t knob : members)
      insert(knob);
  }

  bool contains(size_t knob) const { return words[knob / 64] >> knob % 64 & 1; }
  void insert(size_t knob) { words[knob / 64] |= uint64_t(1) << knob % 64; }
  void erase(size_t knob) { words[knob / 64] &= ~(uint64_t(1) << knob % 64); }

  void insert(const KnobSet &other) {
    for (size_t i = 0; i < words.size(); ++i)
      words[i] |= other.words[i];
  }
  bool isWithin(const KnobSet &other) const { return countWithout(other) == 0; }
  bool meets(const KnobSet &other) const {
    uint64_t common = 0;
    for (size_t i = 0; i < words.size(); ++i)
      common |= words[i] & other.words[i];
    return common != 0;
  }
  /// How many of its knobs are not in the other.
  size_t countWithout(const KnobSet &other) const {
    size_t count = 0;
    for (size_t i = 0; i < words.size(); ++i)
      count += static_cast<size_t>(std::popcount(words[i] & ~other.words[i]));
    return count;
  }
  size_t count() const {
    size_t count = 0;
    for (uint64_t word : words)
      count += static_cast<size_t>(std::popcount(word));
    return count;
  }

  /// Its knobs, ascending.
  std::vector<uint32_t> members() const {
    std::vector<uint32_t> all;
    for (size_t i = 0; i < words.size(); ++i)
      for (uint64_t word = words[i]; word; word &= word - 1)
        all.push_back(static_cast<uint32_t>(i * 64) +
                      static_cast<uint32_t>(std::countr_zero(word)));
    return all;
  }

  bool operator==(const KnobSet &) const = default;

private:
  std::vector<uint64_t> words;
};

} // namespace tonno

#endif // TONNO_CORE_KNOBSET_H
