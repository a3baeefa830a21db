//===- Unpaired timing of candidates --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TIMING_UNPAIRED_H
#define TONNO_TIMING_UNPAIRED_H

#include "tonno/Timing/UnpairedFinals.h"

#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace tonno {

/// The estimate that ranks candidates whose samples are not paired.
enum class Estimate { median, mean };

struct UnpairedOptions {
  Estimate estimate = Estimate::median;
  uint64_t warmup = 1; ///< samples that don't count
  /// More of them where there are any and launches are short: of a program of
  /// 10 us the second sample took 40 us and the third 11.
  uint64_t shortWarmup = 0;
  double shortSeconds = 0.005;
  uint64_t samples = 3; ///< that count
  uint64_t retakes = 0; ///< of all of them, where others disturbed them
  /// A candidate is pruned if its fastest run takes longer than this multiple
  /// of the best estimate so far, and longer than `shortSeconds`.
  double pruneFactor = 10;
  /// The first run alone prunes from this duration on. Below, a second run is
  /// made: the first one may load the program, which takes tens of
  /// milliseconds on a GPU.
  double loadSeconds = 0.05;
};

/// Bounds of a candidate's measurement that come from the session.
struct UnpairedLimits {
  /// The best estimate of a candidate so far.
  double bestSeconds = std::numeric_limits<double>::infinity();
  /// Returns true if the budget is spent: no further run is made.
  std::function<bool()> isTimeUp = [] { return false; };
};

struct UnpairedMeasurement {
  double seconds = 0; ///< the estimate
  Distribution distribution;
  bool isPruned = false;            ///< `seconds` is of the fastest run
  std::vector<double> samples = {}; ///< that count
  double fastestSeconds = 0;  ///< of all runs, those to warm up among them
  double samplingSeconds = 0; ///< that all runs took

  /// Returns the ends of the measurement, by which candidates overlap.
  UnpairedRange range() const;
};

/// Returns true if others used the device while these samples were taken.
using IsDisturbed = std::function<bool(std::span<const double>)>;

/// Times the first candidate by itself. `firstSeconds` are those of a launch
/// that was made already, the first sample or one to warm up.
Result<UnpairedMeasurement, Failure>
measureUnpaired(Sampler &sampler, const UnpairedOptions &options,
                double firstSeconds, const UnpairedLimits &limits,
                const IsDisturbed &isDisturbed);

} // namespace tonno

#endif // TONNO_TIMING_UNPAIRED_H
