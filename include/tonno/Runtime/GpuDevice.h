//===- A GPU by its vendor's driver ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_GPUDEVICE_H
#define TONNO_RUNTIME_GPUDEVICE_H

#include "tonno/Runtime/Device.h"
#include "tonno/Runtime/GpuDriver.h"

namespace tonno {

class GpuContext;
class GpuMonitor;
class GpuTimer;

/// A GPU, through its vendor's driver. Artifacts are cubins or PTX (CUDA), code
/// objects (HIP); a kernel gets a device pointer for each buffer of its launch,
/// and nothing else. Times are those between two of the device's events.
class GpuDevice : public Device {
public:
  /// `which` is an index among the visible devices or a UUID; empty: the first.
  static Result<std::unique_ptr<Device>> create(const GpuVendor &vendor,
                                                const std::string &which,
                                                const DeviceOptions &options);
  static Result<std::vector<DeviceDescription>>
  list(const GpuVendor &vendor, const DeviceOptions &options);
  ~GpuDevice() override;

  const DeviceDescription &description() const override { return about; }
  Result<DeviceMemory, Failure> allocate(size_t bytes) override;
  void release(DeviceMemory memory) override;
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
  Result<bool, Failure> flush() override;
  double overheadSeconds() const override { return 5e-6; }
  std::optional<DeviceCondition> condition() override;
  bool isLost() const override;

private:
  GpuDevice(DeviceDescription about, std::unique_ptr<GpuContext> context,
            std::unique_ptr<GpuTimer> timer,
            std::unique_ptr<GpuMonitor> monitor);

  DeviceDescription about;
  std::unique_ptr<GpuContext> context;
  std::unique_ptr<GpuTimer> timer;
  std::unique_ptr<GpuMonitor> monitor; ///< null where there is none
  DeviceMemory scratch = nullptr;      ///< what flushing writes over
};

} // namespace tonno

#endif // TONNO_RUNTIME_GPUDEVICE_H
