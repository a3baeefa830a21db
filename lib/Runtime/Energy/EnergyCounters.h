//===- Counters of energy, by their source --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_ENERGY_ENERGYCOUNTERS_H
#define TONNO_LIB_RUNTIME_ENERGY_ENERGYCOUNTERS_H

#include "EnergyCounter.h"

#include <memory>
#include <string>

namespace tonno {

using EnergyCounterResult = Result<std::unique_ptr<EnergyCounter>>;

/// Opens RAPL's counters of all packages of the machine, as Linux offers them
/// in files; those of AMD are there, too.
EnergyCounterResult openRapl(const std::string &folder = "/sys/class/powercap");

/// Opens NVML's counter of the device at a PCI bus ("0000:17:00.0"). An empty
/// path of the library: where the system has it.
EnergyCounterResult openNvmlEnergy(const std::string &busId,
                                   const std::string &library);

/// Opens AMD SMI's counter of the device at a PCI bus.
EnergyCounterResult openAmdSmiEnergy(const std::string &busId,
                                     const std::string &library);

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_ENERGY_ENERGYCOUNTERS_H
