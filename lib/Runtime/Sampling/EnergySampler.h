//===- Measures the energy of launches ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_SAMPLING_ENERGYSAMPLER_H
#define TONNO_LIB_RUNTIME_SAMPLING_ENERGYSAMPLER_H

#include "tonno/Timing/Protocol.h"
#include "Energy/EnergyCounter.h"

namespace tonno {

/// Takes samples of joules by a sampler of seconds: those that the device uses,
/// by its counter, while an entrant is launched for a window of time, from one
/// change of the counter to another. What the sampler does between launches is
/// part of them.
class EnergySampler : public Sampler {
public:
  /// Refers to both.
  EnergySampler(Sampler &launches, EnergyCounter &counter)
      : launches(launches), counter(counter) {}

  /// Returns the joules of a launch. The Failure is `lost` if the counter
  /// cannot be read, or does not change.
  Result<double, Failure> sample(size_t entrant) override;

  Result<double, Failure> warm(size_t entrant) override {
    return launches.warm(entrant);
  }
  double clockSeconds() const override { return launches.clockSeconds(); }
  /// Returns 0, since samples are no seconds: the clock counts those.
  size_t batch() const override { return 0; }
  void expectSeconds(double least, double most) override {
    launches.expectSeconds(least, most);
  }
  Result<void, Failure> redraw() override { return launches.redraw(); }
  Result<void, Failure> reload() override { return launches.reload(); }

private:
  Result<double, Failure> readJoules();
  /// Launches the entrant until the counter changes after so many seconds, and
  /// returns what it then shows. Adds to `numLaunches`.
  Result<double, Failure> launchToChange(size_t entrant, double seconds,
                                         size_t &numLaunches);

  Sampler &launches;
  EnergyCounter &counter;
};

/// Returns the protocol of a test of energy: as long batches as there are, and
/// few rounds, since a sample takes a window.
ProtocolOptions makeEnergyProtocol(ProtocolOptions options);

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_SAMPLING_ENERGYSAMPLER_H
