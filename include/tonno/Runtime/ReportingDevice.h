//===- A device that tells when it launches -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_REPORTINGDEVICE_H
#define TONNO_RUNTIME_REPORTINGDEVICE_H

#include "tonno/Runtime/Device.h"

#include <functional>

namespace tonno {

/// A device that calls `report` before each load and launch: a sign of life
/// for whoever waits, who can then bound a single launch instead of a whole
/// session of them.
class ReportingDevice : public Device {
public:
  ReportingDevice(std::unique_ptr<Device> device, std::function<void()> report)
      : device(std::move(device)), report(std::move(report)) {}

  const DeviceDescription &description() const override {
    return device->description();
  }
  Result<DeviceMemory, Failure> allocate(size_t bytes) override {
    return device->allocate(bytes);
  }
  void release(DeviceMemory memory) override { device->release(memory); }
  bool guardsBlocks() const override { return device->guardsBlocks(); }
  Result<void, Failure> setWritable(DeviceMemory memory,
                                    bool isWritable) override {
    return device->setWritable(memory, isWritable);
  }
  Result<void, Failure> upload(DevicePointer to,
                               std::span<const std::byte> from) override {
    return device->upload(to, from);
  }
  Result<void, Failure> download(std::span<std::byte> to,
                                 DevicePointer from) override {
    return device->download(to, from);
  }
  const std::byte *view(DevicePointer pointer) const override {
    return device->view(pointer);
  }
  Result<std::unique_ptr<Executable>, Failure>
  load(const Artifact &artifact) override {
    report();
    return device->load(artifact);
  }
  Result<void, Failure>
  launch(Executable &executable,
         std::span<const DevicePointer> buffers) override {
    report();
    return device->launch(executable, buffers);
  }
  Result<double, Failure>
  time(Executable &executable,
       std::span<const std::vector<DevicePointer>> batch) override {
    report();
    return device->time(executable, batch);
  }
  Result<bool, Failure> flush() override { return device->flush(); }
  std::optional<StolenSeconds> stolenSeconds() override {
    return device->stolenSeconds();
  }
  double overheadSeconds() const override { return device->overheadSeconds(); }
  std::optional<DeviceCondition> condition() override {
    return device->condition();
  }
  bool isLost() const override { return device->isLost(); }

private:
  std::unique_ptr<Device> device;
  std::function<void()> report;
};

} // namespace tonno

#endif // TONNO_RUNTIME_REPORTINGDEVICE_H
