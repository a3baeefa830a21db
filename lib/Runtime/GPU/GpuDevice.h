//===- GPUs as devices ----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_GPU_GPUDEVICE_H
#define TONNO_LIB_RUNTIME_GPU_GPUDEVICE_H

#include "tonno/Core/DeviceCondition.h"
#include "tonno/Runtime/Environment.h"
#include "tonno/Runtime/GpuDriver.h"

#include <memory>
#include <string>
#include <vector>

namespace tonno {

/// Reads a GPU's clocks and temperature.
class GpuMonitor {
public:
  virtual ~GpuMonitor() = default;

  /// Reads the current condition; unreadable values stay unknown.
  virtual DeviceCondition read() = 0;

  /// Reads power limits below the usual, and who else uses the device.
  virtual Environment environment() = 0;
};

/// Opens NVML for the device at a PCI bus ("0000:17:00.0"); null without it.
std::unique_ptr<GpuMonitor> openNvml(const std::string &busId,
                                     const std::string &library);

/// Opens the Linux driver's files for AMD; null without such a folder.
std::unique_ptr<GpuMonitor>
openAmdSensors(const std::string &busId,
               const std::string &folder = "/sys/bus/pci/devices");

/// Makes a device of a GPU by its vendor's driver. `which` is a visible
/// device's index or UUID; empty: the first. Artifacts are cubins or PTX
/// (CUDA), code objects (HIP); a kernel gets a device pointer for each buffer.
/// Times are those between two events.
Result<std::unique_ptr<Device>> createGpuDevice(const GpuDriverTraits &vendor,
                                                const std::string &which,
                                                const DeviceOptions &options);
Result<std::vector<DeviceDescription>>
listGpuDevices(const GpuDriverTraits &vendor, const DeviceOptions &options);

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_GPU_GPUDEVICE_H
