//===- Clocks and heat of a GPU -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_GPU_GPUMONITOR_H
#define TONNO_LIB_RUNTIME_GPU_GPUMONITOR_H

#include "tonno/Core/DeviceCondition.h"
#include "tonno/Runtime/Environment.h"

#include <memory>
#include <string>

namespace tonno {

/// Reads a GPU's clocks and temperature.
class GpuMonitor {
public:
  virtual ~GpuMonitor() = default;

  /// What can't be read is unknown.
  virtual DeviceCondition read() = 0;

  /// Power limits below the usual, and who else uses the device; of this, what
  /// can be read.
  virtual Environment environment() = 0;
};

/// NVML's, of the device at this PCI bus ("0000:17:00.0"); null without NVML.
/// `library` is a path, or empty for the system's.
std::unique_ptr<GpuMonitor> openNvml(const std::string &busId,
                                     const std::string &library);

/// The Linux driver's for AMD, which shows them as files in a folder for each
/// device; null without such a folder.
std::unique_ptr<GpuMonitor>
openAmdSensors(const std::string &busId,
               const std::string &folder = "/sys/bus/pci/devices");

/// What an Environment says of a limit below the usual, in watts.
inline std::string formatPowerLimit(unsigned long long limit,
                                    unsigned long long usual) {
  return "its power limit is " + std::to_string(limit) + " W, usual are " +
         std::to_string(usual) + " W";
}

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_GPU_GPUMONITOR_H
