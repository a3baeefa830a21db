//===- Random numbers from a seed -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SPACE_RANDOM_H
#define TONNO_SPACE_RANDOM_H

#include <cstdint>
#include <random>
#include <span>
#include <utility>

namespace tonno {

/// Random numbers from a seed, the same on every machine: the standard's
/// distributions differ between libraries.
class Random {
public:
  explicit Random(uint64_t seed) : generator(seed) {}

  /// Draws uniformly from [0, bound). Precondition: bound > 0.
  uint64_t below(uint64_t bound) {
    uint64_t limit = -bound % bound; // 2^64 mod bound: rejected, for no bias
    uint64_t drawn;
    do
      drawn = generator();
    while (drawn < limit);
    return drawn % bound;
  }

  /// Draws uniformly from [0, 1).
  double uniform() { return static_cast<double>(generator() >> 11) * 0x1p-53; }

  /// Draws from the normal distribution with mean 0 and standard deviation 1:
  /// the sum of twelve uniform numbers, which uses no function that differs
  /// between machines.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i)
      sum += uniform();
    return sum;
  }

  template <typename T> void shuffle(std::span<T> values) {
    for (size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1], values[below(i)]);
  }

  /// Draws a seed for an independent generator.
  uint64_t fork() { return generator(); }

private:
  std::mt19937_64 generator;
};

} // namespace tonno

#endif // TONNO_SPACE_RANDOM_H
