//===- A device of OpenCL -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_OPENCLDEVICE_H
#define TONNO_RUNTIME_OPENCLDEVICE_H

#include "tonno/Runtime/Device.h"
#include "tonno/Runtime/OpenClProgram.h"

#include <map>
#include <tuple>

namespace tonno {

/// A device of OpenCL. Artifacts are its driver's binaries, or, where that
/// gives none, source; a kernel gets the buffers of its launch, each a part of
/// the memory that it lies in, and what the plan says beside them. Times are
/// the sums of what the driver says that each launch ran: from its start to its
/// end, without what lies between two launches.
class OpenClDevice : public Device {
public:
  /// `which` is an index among all platforms' devices or a UUID; empty: the
  /// first.
  static Result<std::unique_ptr<Device>> create(const std::string &which,
                                                const DeviceOptions &options);
  static Result<std::vector<DeviceDescription>>
  list(const DeviceOptions &options);
  ~OpenClDevice() override;

  const DeviceDescription &description() const override {
    return context->place().about;
  }
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
  /// Not where the device is a CPU: its cache is larger than what a kernel
  /// takes the time of.
  Result<bool, Failure> flush() override;
  double overheadSeconds() const override { return 5e-6; }
  bool isLost() const override { return context->isLost(); }

private:
  explicit OpenClDevice(std::unique_ptr<OpenClContext> context)
      : context(std::move(context)) {}
  /// The buffer's part of its memory, kept until that is released.
  Result<OpenClMemory, Failure> partOf(DevicePointer start, size_t bytes);
  Result<void, Failure> enqueue(Executable &executable,
                                std::span<const DevicePointer> buffers,
                                std::vector<OpenClEvent> &events);
  Result<double, Failure> finish(const std::vector<OpenClEvent> &events);

  using Part = std::tuple<DeviceMemory, size_t, size_t>; ///< offset, bytes

  std::unique_ptr<OpenClContext> context;
  std::map<Part, OpenClMemory> parts;
  DeviceMemory scratch = nullptr; ///< what flushing writes over
};

} // namespace tonno

#endif // TONNO_RUNTIME_OPENCLDEVICE_H
