//===- Sessions in simulated time -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BENCHMARKS_TRUST_SIMULATEDSESSION_H
#define TONNO_BENCHMARKS_TRUST_SIMULATEDSESSION_H

#include "Machine.h"

#include "tonno/Engine/TuningSession.h"

namespace tonno::trust {

/// A whole session of tonno's own loop and protocol, in simulated time.
struct SimulatedOutcome {
  Verdict verdict = Verdict::tie;
  size_t chosen = 0; ///< 0 is the default
  double timedSeconds = 0;
  size_t samples = 0;
};

/// Simulates a session. `logs` are the candidates' times, as logarithms of
/// ratios to the default, which is the first. Several devices take trials at
/// the same time; which takes which then varies.
SimulatedOutcome simulate(const Noise &noise, double launchSeconds,
                          const std::vector<double> &logs,
                          const ProtocolOptions &protocol, uint64_t seed,
                          size_t devices = 1);

} // namespace tonno::trust

#endif // TONNO_BENCHMARKS_TRUST_SIMULATEDSESSION_H
