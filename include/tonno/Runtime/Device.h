//===- What loads, launches and times -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_DEVICE_H
#define TONNO_RUNTIME_DEVICE_H

#include "tonno/Core/Artifact.h"
#include "tonno/Core/DeviceCondition.h"
#include "tonno/Core/Result.h"
#include "tonno/Core/Status.h"
#include "tonno/Engine/Runner.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tonno {

/// Memory that a device gave, by its own handle: an address on most, an object
/// where there are none.
using DeviceMemory = void *;

/// A place in it.
struct DevicePointer {
  DeviceMemory memory = nullptr;
  size_t offset = 0; ///< in bytes

  DevicePointer operator+(size_t bytes) const {
    return {memory, offset + bytes};
  }
};

/// An artifact that a device has loaded. Destroying it unloads it.
class Executable {
public:
  virtual ~Executable() = default;
};

/// Time that launches' threads waited for a processor that others had.
struct StolenSeconds {
  double own = 0;       ///< of the thread that launches
  double elsewhere = 0; ///< of a launch's other threads, in sum
};

/// One device. What the candidate does may end the process: the runner's
/// business. What the device reports comes back as a Failure with a status.
class Device {
public:
  virtual ~Device() = default;

  virtual const DeviceDescription &description() const = 0;

  /// Aligned to a page, or as well as the device aligns.
  virtual Result<DeviceMemory, Failure> allocate(size_t bytes) = 0;
  virtual void release(DeviceMemory memory) = 0;

  /// Whether nothing can be reached right before a block and right behind its
  /// last page.
  virtual bool guardsBlocks() const { return false; }
  /// Of a block of a device that guards them, whether launches may write to it.
  virtual Result<void, Failure> setWritable(DeviceMemory, bool) { return {}; }
  virtual Result<void, Failure> upload(DevicePointer to,
                                       std::span<const std::byte> from) = 0;
  virtual Result<void, Failure> download(std::span<std::byte> to,
                                         DevicePointer from) = 0;

  /// The memory as this process sees it at all times, without a copy; null
  /// where it does not.
  virtual const std::byte *view(DevicePointer) const { return nullptr; }

  virtual Result<std::unique_ptr<Executable>, Failure>
  load(const Artifact &artifact) = 0;

  /// Runs all launches of the artifact's plan once and waits. `buffers` are
  /// those of the plan, in its order.
  virtual Result<void, Failure>
  launch(Executable &executable, std::span<const DevicePointer> buffers) = 0;

  /// The same for each element of `batch`, one after the other. Returns the
  /// seconds that all of it took by the device's clock.
  virtual Result<double, Failure>
  time(Executable &executable,
       std::span<const std::vector<DevicePointer>> batch) = 0;

  /// Writes over all of the last-level cache, so that what a launch reads next
  /// is not in it. False where a device can't.
  virtual Result<bool, Failure> flush() { return false; }

  /// How long so far its threads waited because others ran where they do; none
  /// where nothing can tell.
  virtual std::optional<StolenSeconds> stolenSeconds() { return std::nullopt; }

  /// What a launch takes beside the kernel's own work. Kernels that take no
  /// more are not to be told apart.
  virtual double overheadSeconds() const { return 0; }

  /// Clocks and heat as they are now; none where nothing can tell.
  virtual std::optional<DeviceCondition> condition() { return std::nullopt; }

  /// Whether a failure took the device away from this process. Every later call
  /// fails as `lost`; a fresh process gets it back.
  virtual bool isLost() const { return false; }
};

struct DeviceOptions {
  /// Path of the GPU driver's library; empty: where the system has it.
  std::string driver = {};
  /// Path of NVML's library; empty: where the system has it.
  std::string monitor = {};
};

/// The device of this name: a kind ("host", "cuda"), and for GPUs, behind a
/// colon, an index among those that are visible, or a UUID. An Error says what
/// there is.
Result<std::unique_ptr<Device>> createDevice(std::string_view name,
                                             const DeviceOptions &options = {});

/// The devices of a kind, or why there are none.
struct DeviceList {
  std::string kind;
  std::vector<DeviceDescription> devices; ///< "kind:0" is the first
  std::string problem;                    ///< if there are none
};

/// Of every kind. Takes none of them.
std::vector<DeviceList> listDevices(const DeviceOptions &options = {});

} // namespace tonno

#endif // TONNO_RUNTIME_DEVICE_H
