//===- The interface of devices -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_DEVICE_H
#define TONNO_RUNTIME_DEVICE_H

#include "tonno/Core/Artifact.h"
#include "tonno/Core/DeviceCondition.h"
#include "tonno/Core/Measurement.h"
#include "tonno/Core/Result.h"
#include "tonno/Core/Status.h"
#include "tonno/Engine/Runner.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tonno {

class EnergyCounter;

/// Memory of a device by its own handle: an address on most.
using DeviceMemory = void *;

/// A place in it.
struct DevicePointer {
  DeviceMemory memory = nullptr;
  size_t offset = 0; ///< in bytes

  DevicePointer operator+(size_t bytes) const {
    return {memory, offset + bytes};
  }
};

/// The buffers of each of some launches.
using LaunchBatch = std::span<const std::vector<DevicePointer>>;

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

/// A device. A candidate may end the process; the runner handles that. Errors
/// that the device reports are returned as a Failure with a status.
class Device {
public:
  virtual ~Device() = default;

  virtual const DeviceDescription &description() const = 0;

  /// Allocates memory aligned to a page, or to the device's alignment.
  virtual Result<DeviceMemory, Failure> allocate(size_t bytes) = 0;
  virtual void release(DeviceMemory memory) = 0;

  /// Returns true if memory right beside a block can't be reached.
  virtual bool guardsBlocks() const { return false; }
  /// Allows or forbids writes of launches to a block, on devices that guard
  /// blocks.
  virtual Result<void, Failure> setWritable(DeviceMemory, bool) { return {}; }
  virtual Result<void, Failure> upload(DevicePointer to,
                                       std::span<const std::byte> from) = 0;
  virtual Result<void, Failure> download(std::span<std::byte> to,
                                         DevicePointer from) = 0;

  /// Returns the memory as this process sees it, without a copy; null if none.
  virtual const std::byte *view(DevicePointer) const { return nullptr; }

  /// Calls `report` before each load and launch from now on: a sign of life, so
  /// that a single launch can be bounded instead of a whole session.
  void reportTo(std::function<void()> report) { reported = std::move(report); }

  Result<std::unique_ptr<Executable>, Failure> load(const Artifact &artifact) {
    reported();
    return loadImpl(artifact);
  }

  /// Runs all launches of the artifact's plan once and waits. `buffers` are
  /// those of the plan, in its order.
  Result<void, Failure> launch(Executable &executable,
                               std::span<const DevicePointer> buffers) {
    reported();
    return launchImpl(executable, buffers);
  }

  /// Runs the launches at load, which alone fill what they load. Devices whose
  /// artifacts have none need not know them.
  virtual Result<void, Failure> launchAtLoad(Executable &,
                                             std::span<const DevicePointer>) {
    return {};
  }

  /// Launches once for each element of `batch`, without the launches at load.
  /// Returns the device's seconds.
  Result<double, Failure> time(Executable &executable, LaunchBatch batch) {
    reported();
    return timeImpl(executable, batch);
  }

  /// Returns true if events of such launches can be counted.
  virtual bool countsEvents(const Executable &) { return false; }

  /// Launches once, as `time` does, and returns the events.
  virtual Result<EventCounts, Failure>
  countEvents(Executable &, std::span<const DevicePointer>) {
    return EventCounts();
  }

  /// Overwrites the last-level cache. False where a device can't.
  virtual Result<bool, Failure> flush() { return false; }

  /// Returns how long its threads have waited for others so far, if known.
  virtual std::optional<StolenSeconds> stolenSeconds() { return std::nullopt; }

  /// Returns the launch overhead beside the kernel's own work.
  virtual double overheadSeconds() const { return 0; }

  /// Measures the highest rates by micro-benchmarks; none if there are none for
  /// the device.
  virtual std::optional<DevicePeaks> measurePeaks(const PeakQuery &) {
    return std::nullopt;
  }

  /// Returns the current clocks and temperature; none if they cannot be read.
  virtual std::optional<DeviceCondition> condition() { return std::nullopt; }

  /// Returns the counter of the energy that the device uses, which lives as
  /// long as the device. The Error states why there is none.
  virtual Result<EnergyCounter *> energyCounter() {
    return Error{"tonno reads no counter of energy of " + description().name};
  }

  /// Returns true if a failure took the device away: every later call is
  /// `lost`.
  virtual bool isLost() const { return false; }

protected:
  virtual Result<std::unique_ptr<Executable>, Failure>
  loadImpl(const Artifact &artifact) = 0;
  virtual Result<void, Failure>
  launchImpl(Executable &executable,
             std::span<const DevicePointer> buffers) = 0;
  virtual Result<double, Failure> timeImpl(Executable &executable,
                                           LaunchBatch batch) = 0;

private:
  std::function<void()> reported = [] {};
};

struct DeviceOptions {
  /// Path of the GPU driver's library; empty: where the system has it.
  std::string driver = {};
  /// Path of NVML's or AMD SMI's library; empty: where the system has it.
  std::string monitor = {};
  /// Folder of the host's counters of energy; empty: where the system has it.
  std::string powercap = {};
};

/// Creates the device of this name: a kind ("host", "cuda") and, behind a
/// colon, a visible GPU's index or UUID. An Error says what there is.
Result<std::unique_ptr<Device>> createDevice(std::string_view name,
                                             const DeviceOptions &options = {});

/// The devices of a kind, or why there are none.
struct DeviceList {
  std::string kind;
  std::vector<DeviceDescription> devices; ///< "kind:0" is the first
  std::string problem;                    ///< if there are none
};

/// Lists the devices of every kind. Takes none of them.
std::vector<DeviceList> listDevices(const DeviceOptions &options = {});
/// Lists the devices of one kind. Takes none of them.
DeviceList listDevicesOfKind(std::string_view kind,
                             const DeviceOptions &options = {});

} // namespace tonno

#endif // TONNO_RUNTIME_DEVICE_H
