//===- Sets of a knob's options, numbered ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OptionSets.h"

#include <algorithm>

using namespace tonno;

OptionSets::OptionSets(size_t options) : width((options + 63) / 64) {
  std::vector<uint64_t> words(width, ~uint64_t(0));
  if (options % 64 != 0)
    words.back() >>= 64 - options % 64;
  add(std::move(words));
}

size_t OptionSets::Hash::operator()(const std::vector<uint64_t> &words) const {
  uint64_t hash = words.size();
  for (uint64_t word : words) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
    hash ^= hash >> 29;
  }
  return hash;
}

uint32_t OptionSets::add(std::vector<uint64_t> words) {
  if (std::ranges::all_of(words, [](uint64_t word) { return word == 0; }))
    return empty;
  auto next = static_cast<uint32_t>(numbers.size());
  auto [place, isNew] = numbers.emplace(std::move(words), next);
  if (isNew)
    sets.insert(sets.end(), place->first.begin(), place->first.end());
  return place->second;
}

uint32_t OptionSets::intersection(uint32_t one, uint32_t other) {
  if (one == other || other == all)
    return one;
  if (one == all || one == empty || other == empty)
    return one == all ? other : empty;
  if (one > other)
    std::swap(one, other);
  uint64_t both = uint64_t(one) << 32 | other;
  if (auto known = intersections.find(both); known != intersections.end())
    return known->second;
  std::vector<uint64_t> words(width);
  for (size_t i = 0; i < width; ++i)
    words[i] = sets[one * width + i] & sets[other * width + i];
  uint32_t found = add(std::move(words));
  intersections.emplace(both, found);
  return found;
}
