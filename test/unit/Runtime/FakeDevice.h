//===- A device that runs C++ functions -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TEST_UNIT_RUNTIME_FAKEDEVICE_H
#define TONNO_TEST_UNIT_RUNTIME_FAKEDEVICE_H

#include "tonno/Runtime/Device.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <set>

namespace tonno {

/// Gets the addresses of the plan's buffers.
using FakeKernel = std::function<void(std::span<void *const>)>;

inline void *addressOf(DevicePointer pointer) {
  return static_cast<std::byte *>(pointer.memory) + pointer.offset;
}

class FakeExecutable : public Executable {
public:
  explicit FakeExecutable(FakeKernel kernel) : kernel(std::move(kernel)) {}
  FakeKernel kernel;
};

/// A device on the host's heap. An artifact's binary is the name of a function.
class FakeDevice : public Device {
public:
  ~FakeDevice() override {
    for (void *block : blocks)
      std::free(block);
  }

  const DeviceDescription &description() const override { return about; }

  Result<DeviceMemory, Failure> allocate(size_t bytes) override {
    if (bytes > memoryBytes)
      return Failure{Status::out_of_memory, "the fake device is full"};
    void *block = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    blocks.insert(block);
    return block;
  }
  void release(DeviceMemory memory) override {
    blocks.erase(memory);
    std::free(memory);
  }
  Result<void, Failure> upload(DevicePointer to,
                               std::span<const std::byte> from) override {
    ++uploads;
    if (failUploads)
      return Failure{Status::fault, "the fake device failed"};
    if (!from.empty())
      std::memcpy(addressOf(to), from.data(), from.size());
    return {};
  }
  Result<void, Failure> download(std::span<std::byte> to,
                                 DevicePointer from) override {
    if (!to.empty())
      std::memcpy(to.data(), addressOf(from), to.size());
    return {};
  }

  const std::byte *view(DevicePointer pointer) const override {
    return static_cast<const std::byte *>(addressOf(pointer));
  }

  Result<std::unique_ptr<Executable>, Failure>
  loadImpl(const Artifact &artifact) override {
    std::string name(artifact.binary.begin(), artifact.binary.end());
    loads.push_back(name);
    auto kernel = kernels.find(name);
    if (kernel == kernels.end())
      return Failure{Status::load_error, "no kernel '" + name + "'"};
    return std::unique_ptr<Executable>(
        std::make_unique<FakeExecutable>(kernel->second));
  }

  Result<void, Failure>
  launchImpl(Executable &executable,
             std::span<const DevicePointer> buffers) override {
    auto &addresses = launched.emplace_back();
    for (DevicePointer buffer : buffers)
      addresses.push_back(addressOf(buffer));
    if (failNextLaunch)
      return Failure{Status::fault, "the fake device failed"};
    static_cast<FakeExecutable &>(executable).kernel(addresses);
    return {};
  }

  Result<void, Failure> launchAtLoad(Executable &,
                                     std::span<const DevicePointer>) override {
    events.emplace_back("load");
    return {};
  }

  Result<double, Failure> timeImpl(Executable &executable,
                                   LaunchBatch batch) override {
    events.emplace_back("time");
    for (const std::vector<DevicePointer> &buffers : batch)
      if (auto done = launchImpl(executable, buffers); !done)
        return done.error();
    return 1e-3 * static_cast<double>(batch.size());
  }

  bool countsEvents(const Executable &) override { return cycles.has_value(); }
  Result<EventCounts, Failure>
  countEvents(Executable &executable,
              std::span<const DevicePointer> buffers) override {
    events.emplace_back("count");
    if (auto done = launchImpl(executable, buffers); !done)
      return done.error();
    EventCounts counts;
    counts.cycles = cycles;
    return counts;
  }

  Result<bool, Failure> flush() override {
    if (failFlushes)
      return Failure{Status::lost, "the fake device failed"};
    if (flushes)
      events.emplace_back("flush");
    return flushes;
  }

  std::optional<StolenSeconds> stolenSeconds() override { return stolen(); }

  static Artifact artifactOf(const std::string &name, LaunchPlan plan) {
    Artifact artifact;
    artifact.target = "fake";
    artifact.binary.assign(name.begin(), name.end());
    artifact.plan = std::move(plan);
    return artifact;
  }

  std::map<std::string, FakeKernel> kernels;
  DeviceDescription about = {"fake", "fake device", "0", 1 << 16};
  size_t memoryBytes = size_t(1) << 32;
  std::function<std::optional<StolenSeconds>()> stolen = [] {
    return std::nullopt;
  };
  std::optional<double> cycles; ///< of a launch; none: it counts no events
  bool failNextLaunch = false;
  bool failUploads = false;
  bool flushes = false; ///< whether it can
  bool failFlushes = false;

  size_t uploads = 0;
  std::vector<std::string> events;           ///< timings and flushes, in order
  std::set<void *> blocks;                   ///< not yet released
  std::vector<std::string> loads;            ///< names, in order
  std::vector<std::vector<void *>> launched; ///< buffers, in order
};

} // namespace tonno

#endif // TONNO_TEST_UNIT_RUNTIME_FAKEDEVICE_H
