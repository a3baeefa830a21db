//===- Measures the energy of launches ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EnergySampler.h"

using namespace tonno;

Result<double, Failure> EnergySampler::readJoules() {
  auto joules = counter.readJoules();
  if (!joules)
    return Failure{Status::lost, joules.error().message};
  return *joules;
}

Result<double, Failure> EnergySampler::launchToChange(size_t entrant,
                                                      double seconds,
                                                      size_t &numLaunches) {
  double begin = clockSeconds(), last = TONNO_TRY(readJoules());
  for (;;) {
    TONNO_TRY(launches.sample(entrant));
    numLaunches += launches.batch();
    double now = TONNO_TRY(readJoules()), elapsed = clockSeconds() - begin;
    if (now > last && elapsed >= seconds)
      return now;
    if (now <= last && elapsed > seconds + counter.windowSeconds())
      return Failure{Status::lost, "the device's counter of energy did not "
                                   "change while a candidate was launched"};
    last = now;
  }
}

Result<double, Failure> EnergySampler::sample(size_t entrant) {
  size_t numLaunches = 0;
  double before = TONNO_TRY(launchToChange(entrant, 0, numLaunches));
  numLaunches = 0;
  double after =
      TONNO_TRY(launchToChange(entrant, counter.windowSeconds(), numLaunches));
  return (after - before) / static_cast<double>(numLaunches);
}

ProtocolOptions tonno::makeEnergyProtocol(ProtocolOptions options) {
  options.batchSeconds = options.maxBatchSeconds;
  options.blockRounds = 2;
  options.firstLook = 8;
  options.minRounds = 8;
  options.maxRounds = 128;
  options.testSeconds = 60;
  return options;
}
