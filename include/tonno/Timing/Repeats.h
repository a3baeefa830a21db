//===- Repeated timing of the best candidates -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TIMING_REPEATS_H
#define TONNO_TIMING_REPEATS_H

#include "tonno/Timing/Protocol.h"

#include <span>

namespace tonno {

/// Constants of `repeatBest`; docs/design/measuring.md has their reasons.
struct RepeatOptions {
  uint64_t calls = 60;      ///< at most, of all candidates together
  size_t maxCandidates = 8; ///< the best of the trials
  /// A candidate is called again if its trial is within this multiple of the
  /// noise behind the best one.
  double noiseMargin = 4;
  /// Half of the calls, and of the seconds, may choose the best candidate; the
  /// others estimate it.
  double choiceShare = 0.5;
  /// Half-width of an estimate's 95 % interval, as a share of the estimate,
  /// below which no more calls are made.
  double precision = 0.03;
};

/// The candidate that `repeatBest` has chosen.
struct RepeatedBest {
  size_t candidate = 0;  ///< 0 is the first
  Distribution estimate; ///< of fresh calls; n = 0 if there was no time for one
};

/// Chooses among candidates whose trials are single calls, and estimates the
/// chosen one. The least of many noisy numbers is a lucky one, so calls that
/// chose a candidate do not estimate it:
///
/// - The best two are called again. If both give the same bits as before,
///   nothing is random, and the best trial stands.
/// - The candidates that the noise may have put behind the best one are called
///   in rounds of random order. After each stage the worse half leaves, by
///   pseudo-medians.
/// - The last one left is called until its estimate is precise enough.
///
/// `trials` are the numbers of candidates 1, 2, ... of the sampler, in
/// ascending order. They may be of any sign. No call begins after `seconds`.
Result<RepeatedBest, Failure> repeatBest(Sampler &sampler,
                                         std::span<const double> trials,
                                         const RepeatOptions &options,
                                         double seconds, uint64_t seed);

} // namespace tonno

#endif // TONNO_TIMING_REPEATS_H
