//===- A GPU on the CPU, to verify ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_SIMDEVICE_H
#define TONNO_RUNTIME_SIMDEVICE_H

#include "tonno/Runtime/Device.h"
#include "tonno/Runtime/SimScheduler.h"

namespace tonno {

struct SimDeviceOptions {
  /// Draws the order in which threads run; each launch has another.
  uint64_t seed = 1;
};

/// Runs a GPU's kernels on the CPU, to verify them without a GPU. Artifacts are
/// shared objects with a SimObject; memory is the host's. What goes wrong
/// beyond wrong values, see SimScheduler. It measures nothing: `time` refuses
/// with `unlaunchable`.
class SimDevice : public Device {
public:
  static Result<std::unique_ptr<Device>> create(SimDeviceOptions options = {});

  const DeviceDescription &description() const override { return about; }
  Result<DeviceMemory, Failure> allocate(size_t bytes) override;
  void release(DeviceMemory memory) override;
  bool guardsBlocks() const override { return true; }
  Result<void, Failure> setWritable(DeviceMemory memory,
                                    bool isWritable) override;
  Result<void, Failure> upload(DevicePointer to,
                               std::span<const std::byte> from) override;
  Result<void, Failure> download(std::span<std::byte> to,
                                 DevicePointer from) override;
  Result<std::unique_ptr<Executable>, Failure>
  load(const Artifact &artifact) override;
  Result<void, Failure> launch(Executable &executable,
                               std::span<const DevicePointer> buffers) override;
  Result<double, Failure>
  time(Executable &executable,
       std::span<const std::vector<DevicePointer>> batch) override;

private:
  SimDevice(std::unique_ptr<Device> host, SimDeviceOptions options);

  std::unique_ptr<Device> host; ///< whose memory it is
  DeviceDescription about;
  SimDeviceOptions options;
  uint64_t launches = 0;
  SimScheduler scheduler;
};

} // namespace tonno

#endif // TONNO_RUNTIME_SIMDEVICE_H
