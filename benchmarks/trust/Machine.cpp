//===- Simulated machine with noise ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine.h"

#include <cmath>
#include <limits>

using namespace tonno::trust;

/// Duration of the runner's work between timed launches.
static constexpr double gapSeconds = 20e-6;

Machine::Machine(const Noise &noise, double launchSeconds, uint64_t seed)
    : noise(noise), launchSeconds(launchSeconds), generator(seed),
      drift(noise.drift * normal()),
      clock(generator() % 2 == 0 ? 0 : noise.clockStep),
      nextClock(exponential(noise.clockSeconds)),
      burstBegin(noise.burstsEvery > 0
                     ? exponential(noise.burstsEvery)
                     : std::numeric_limits<double>::infinity()),
      burstEnd(burstBegin + noise.burstSeconds),
      tracePosition(noise.trace.empty() ? 0
                                        : generator() % noise.trace.size()) {}

double Machine::exponential(double mean) {
  return std::exponential_distribution<double>(1 / mean)(generator);
}

void Machine::advance(double seconds) {
  now += seconds;
  // An Ornstein-Uhlenbeck process, exact over any step.
  double kept = std::exp(-seconds / noise.driftSeconds);
  drift = kept * drift + noise.drift * std::sqrt(1 - kept * kept) * normal();
  while (now > nextClock) {
    clock = noise.clockStep - clock;
    nextClock += exponential(noise.clockSeconds);
  }
  while (now > burstEnd) {
    burstBegin = burstEnd + exponential(noise.burstsEvery);
    burstEnd = burstBegin + noise.burstSeconds;
  }
}

double Machine::launch(size_t entrant, double log) {
  while (placements.size() <= entrant)
    placements.push_back(noise.layout * normal());
  double disturbed =
      log + placements[entrant] + drift + clock + noise.spread * normal();
  if (noise.tailShare > 0 &&
      std::bernoulli_distribution(noise.tailShare)(generator))
    disturbed += exponential(noise.tailSize);
  if (!noise.trace.empty())
    disturbed += noise.trace[tracePosition++ % noise.trace.size()];
  if (now > burstBegin)
    disturbed += noise.burstSize;
  double seconds = launchSeconds * std::exp(disturbed);
  timed += seconds;
  advance(seconds + gapSeconds);
  return seconds;
}
