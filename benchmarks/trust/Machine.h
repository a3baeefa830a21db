//===- Simulated machine with noise ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BENCHMARKS_TRUST_MACHINE_H
#define TONNO_BENCHMARKS_TRUST_MACHINE_H

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tonno::trust {

/// Disturbances of a machine's times. Sizes are of logarithms.
struct Noise {
  std::string name;
  double spread = 0.01;    ///< standard deviation from sample to sample
  double layout = 0.005;   ///< of a candidate's placement, till the next layout
  double tailShare = 0;    ///< samples that are slower, by an exponential
  double tailSize = 0.3;   ///< its mean
  double drift = 0;        ///< standard deviation of the common drift
  double driftSeconds = 2; ///< correlation time of the drift
  double clockStep = 0;    ///< between two states of the clock
  double clockSeconds = 0.2; ///< that a state lasts, in the mean
  double burstsEvery = 0;    ///< seconds between bursts, in the mean; 0: none
  double burstSeconds = 0.02;
  double burstSize = 0.5;
  /// Logarithms of a real machine's times, over their median, sample by sample;
  /// empty: none.
  std::vector<double> trace = {};
};

/// A machine in simulated time: all that runs on it sees the same drift, clock
/// and bursts at the same moment.
class Machine {
public:
  Machine(const Noise &noise, double launchSeconds, uint64_t seed);

  /// Returns the seconds of a launch that takes exp(log) times as long as the
  /// baseline, with the current layout. Advances the clock by them.
  double launch(size_t entrant, double log);
  /// Places everything anew.
  void redraw() { placements.clear(); }

  double timedSeconds() const { return timed; } ///< in launches

private:
  void advance(double seconds);
  double exponential(double mean);
  double normal() { return normalDistribution(generator); }

  const Noise &noise;
  double launchSeconds;
  std::mt19937_64 generator;
  std::normal_distribution<double> normalDistribution;
  std::vector<double> placements; ///< by entrant
  double now = 0, timed = 0;
  double drift, clock;
  double nextClock, burstBegin, burstEnd;
  size_t tracePosition = 0; ///< of the next sample; from the end to the start
};

} // namespace tonno::trust

#endif // TONNO_BENCHMARKS_TRUST_MACHINE_H
