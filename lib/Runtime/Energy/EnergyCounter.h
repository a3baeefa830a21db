//===- Counters of the energy that a device has used ----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_ENERGY_ENERGYCOUNTER_H
#define TONNO_LIB_RUNTIME_ENERGY_ENERGYCOUNTER_H

#include "tonno/Core/Result.h"

namespace tonno {

/// Counts the energy of a whole device, whoever uses it.
class EnergyCounter {
public:
  virtual ~EnergyCounter() = default;

  /// Returns the joules that were used since some moment.
  virtual Result<double> readJoules() = 0;

  /// Returns the least seconds of a sample: some periods of the counter's
  /// changes, and many batches of launches.
  virtual double windowSeconds() const = 0;
};

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_ENERGY_ENERGYCOUNTER_H
