//===- What samples share at a moment -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TIMING_TREND_H
#define TONNO_LIB_TIMING_TREND_H

#include <cstddef>
#include <span>
#include <vector>

namespace tonno {

/// One sample of many that were taken one after the other.
struct TimedSample {
  size_t entrant = 0; ///< whose it is
  size_t block = 0;   ///< in which nothing was placed anew; these grow
  double log = 0;     ///< of its seconds
};

/// The drift that all samples share at a moment: the mean of their neighbours'
/// times, in time and block, beyond their own entrants' effects (Papadakis
/// 1937, iterated as by Bartlett 1978). How many neighbours count is chosen by
/// what leaves the least spread: few where the machine's times rise and fall
/// within some samples, all of a block where nothing but chance tells them
/// apart.
class Trend {
public:
  explicit Trend(size_t entrants) : effects(entrants) {}

  /// The samples' logs without it; only differences between entrants have a
  /// meaning. Each time the samples are those of the last time and more; blocks
  /// have two samples or more.
  std::vector<double> removeFrom(std::span<const TimedSample> samples);

private:
  std::vector<double> effects; ///< by entrant, as far as known
  size_t reach = 0;            ///< neighbours on either side that count
  size_t chosenAt = 0;         ///< samples when it was chosen
};

} // namespace tonno

#endif // TONNO_LIB_TIMING_TREND_H
