//===- The kinds of devices -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_DEVICES_H
#define TONNO_LIB_RUNTIME_DEVICES_H

#include "tonno/Runtime/Device.h"

namespace tonno {

struct GpuDriverTraits;

/// Makes a device of a GPU, through its vendor's driver. `which` is an index
/// among the visible devices or a UUID; empty: the first. Artifacts are cubins
/// or PTX (CUDA), code objects (HIP); a kernel gets a device pointer for each
/// buffer of its launch, and nothing else. Times are those between two of the
/// device's events.
Result<std::unique_ptr<Device>> createGpuDevice(const GpuDriverTraits &vendor,
                                                const std::string &which,
                                                const DeviceOptions &options);
Result<std::vector<DeviceDescription>>
listGpuDevices(const GpuDriverTraits &vendor, const DeviceOptions &options);

/// Makes a device of OpenCL. `which` is an index among all platforms' devices
/// or a UUID; empty: the first. Artifacts are its driver's binaries, or, where
/// that gives none, source; a kernel gets the buffers of its launch, each a
/// part of the memory that it lies in, and what the plan says beside them.
/// Times are the sums of what the driver says that each launch ran: from its
/// start to its end, without what lies between two launches.
Result<std::unique_ptr<Device>>
createOpenClDevice(const std::string &which, const DeviceOptions &options);
Result<std::vector<DeviceDescription>>
listOpenClDevices(const DeviceOptions &options);

/// Makes a device that runs a GPU's kernels on the CPU, to verify them without
/// a GPU. Artifacts are shared objects with a SimObject; memory is the host's.
/// What goes wrong beyond wrong values, see SimScheduler. It measures nothing:
/// `time` refuses with `unlaunchable`. The seed draws the order in which
/// threads run; each launch has another.
std::unique_ptr<Device> createSimDevice(uint64_t seed = 1);

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_DEVICES_H
