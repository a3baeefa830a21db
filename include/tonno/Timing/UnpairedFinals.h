//===- Finals among candidates whose medians overlap ----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TIMING_UNPAIREDFINALS_H
#define TONNO_TIMING_UNPAIREDFINALS_H

#include "tonno/Timing/Finals.h"

#include <span>

namespace tonno {

/// Constants of the finals; docs/design/measuring.md has their reasons.
struct UnpairedFinalsOptions {
  size_t maxCandidates = 4; ///< the best one among them
  uint64_t maxRounds = 16;
  /// Rounds before a candidate may leave: it leaves if its fastest sample is
  /// above the median of the leader's.
  uint64_t roundsToLeave = 4;
  /// The mean of this share of a candidate's samples, the fastest, ranks it.
  double fastShare = 0.25;
};

/// The estimate of a candidate that was timed by itself, in any unit.
struct UnpairedRange {
  double estimate = 0;
  /// The range from the fastest run to the upper end of the median's interval.
  Interval interval;
};

/// Returns the candidate with the least estimate, then those of the others with
/// the fastest runs, fastest first: at most `most` in all. Candidates that are
/// added later never bring back one that is not among them.
std::vector<size_t> findContenders(std::span<const UnpairedRange> candidates,
                                   size_t most);

/// Returns those contenders of which a run was faster than the upper end of the
/// best one, with the best one at the front.
std::vector<size_t> findOverlapping(std::span<const UnpairedRange> candidates,
                                    size_t most);

/// Ranks candidates 1, 2, ... of the sampler by rounds of one sample each, in
/// random order. `samples` are those of their trials, which count as well. On a
/// busy machine noise makes samples slower, never faster, so the fastest
/// samples rank. A round begins if it is expected to end within `seconds`; the
/// first one is expected to take the medians. Best first; as given, with no
/// rounds, if there is no time for one.
Result<std::vector<Finalist>, Failure> playUnpairedFinals(
    Sampler &sampler, std::span<const std::vector<double>> samples,
    const UnpairedFinalsOptions &options, double seconds, uint64_t seed);

} // namespace tonno

#endif // TONNO_TIMING_UNPAIREDFINALS_H
