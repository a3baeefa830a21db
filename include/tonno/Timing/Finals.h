//===- The choice among the best ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TIMING_FINALS_H
#define TONNO_TIMING_FINALS_H

#include "tonno/Timing/Protocol.h"

#include <vector>

namespace tonno {

/// The result of the finals for one candidate.
struct Finalist {
  size_t candidate = 0; ///< 0 is the first
  /// Median of log(its seconds / the winner's) over the rounds it took part in.
  double behind = 0;
  size_t rounds = 0;
};

void mapFields(JsonFields &fields, Finalist &finalist);

/// Chooses among candidates, all entrants of `sampler` but the baseline, by
/// successive halving: rounds in random order over the remaining candidates and
/// the baseline, one sample each. A candidate's score in a round is
/// log(seconds) less the trend (Trend.h), the excess time of its neighbours in
/// time over their own scores. A stage ends when the median of the candidates'
/// errors is small enough; then the worse half and candidates clearly behind
/// the leader are dropped. Samples of earlier stages count. Returns the
/// candidates best first.
Result<std::vector<Finalist>, Failure>
chooseByHalving(Sampler &sampler, size_t candidates,
                const ProtocolOptions &options, uint64_t seed);

} // namespace tonno

#endif // TONNO_TIMING_FINALS_H
