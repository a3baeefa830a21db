//===- The CPU of this process --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_HOSTDEVICE_H
#define TONNO_RUNTIME_HOSTDEVICE_H

#include "tonno/Core/Descriptor.h"
#include "tonno/Runtime/Device.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <sched.h>
#include <unordered_map>

namespace tonno {

/// The threads that share the workgroups of a launch, on cores chosen before.
class HostThreads {
public:
  /// Creates a description of the caller's own thread.
  HostThreads() = default;

  /// Returns a thread for each core that this process may use now.
  static HostThreads onAllowedCores();
  /// Returns `count` threads on these cores.
  static HostThreads onAllowedCores(unsigned count);

  unsigned size() const { return count; }

  /// Calls `work` once with each number below `workgroups` and joins the
  /// threads. The caller's does the work of those that the system can't spare.
  void run(uint32_t workgroups,
           const std::function<void(uint32_t workgroup)> &work) const;

private:
  unsigned count = 1;
  cpu_set_t cores = {};
};

class GatheredTeam;
class HostEvents;

/// The CPU of this process. Artifacts are shared objects with entry points
/// `void symbol(void **buffers)`, or of launches with several workgroups `void
/// symbol(void **buffers, uint64_t workgroup)`; times are steady_clock's. For
/// the thread that made it.
class HostDevice : public Device {
public:
  /// Creates the device, or one core of it. The threads share the workgroups
  /// of a launch, unless it is timed.
  static Result<std::unique_ptr<Device>>
  create(HostThreads threads = {}, std::string powercap = {},
         std::optional<unsigned> core = {});
  ~HostDevice() override;
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
  const std::byte *view(DevicePointer pointer) const override;
  Result<std::unique_ptr<Executable>, Failure>
  loadImpl(const Artifact &artifact) override;
  Result<void, Failure>
  launchImpl(Executable &executable,
             std::span<const DevicePointer> buffers) override;
  Result<void, Failure>
  launchAtLoad(Executable &executable,
               std::span<const DevicePointer> buffers) override;
  Result<double, Failure> timeImpl(Executable &executable,
                                   LaunchBatch batch) override;

  /// Returns the stolen time accounted by the scheduler, which omits the
  /// hypervisor's.
  std::optional<StolenSeconds> stolenSeconds() override;
  double overheadSeconds() const override { return 1e-7; }
  std::optional<DevicePeaks> measurePeaks(const PeakQuery &query) override;
  Result<EnergyCounter *> energyCounter() override;
  /// Code of one thread alone: other threads' events are not counted.
  bool countsEvents(const Executable &executable) override;
  Result<EventCounts, Failure>
  countEvents(Executable &executable,
              std::span<const DevicePointer> buffers) override;

  /// The launches of a plan to run.
  enum class Launches { all, atLoad, afterLoad };

protected:
  explicit HostDevice(HostThreads threads, std::optional<unsigned> core = {});

  DeviceDescription about;

private:
  Result<void, Failure> run(Executable &executable,
                            std::span<const DevicePointer> buffers,
                            Launches which);
  /// Returns the threads that a launch of several runs on; none for others.
  Result<std::optional<GatheredTeam>, Failure>
  gather(const Executable &executable) const;

  HostThreads threads;
  std::string powercap; ///< DeviceOptions::powercap
  std::unique_ptr<EnergyCounter> energy;
  std::unique_ptr<HostEvents> events;
  std::vector<int>
      cores; ///< for a launch's threads, in the order they get them
  double waitedElsewhere = 0; ///< seconds of such threads but this one
  std::unordered_map<DeviceMemory, size_t> reservedBytes; ///< by block
  Descriptor schedule; ///< of the scheduler's account; not valid without
};

/// Keeps this process on this core, else on the last core that it may use, for
/// steady times.
Result<void> pinToTimingCore(std::optional<unsigned> core = {});

/// Keeps this process off these cores, else off the core that
/// `pinToTimingCore` takes, and off their siblings, if any others are left.
Result<void> avoidTimingCores(std::vector<int> timing = {});

} // namespace tonno

#endif // TONNO_RUNTIME_HOSTDEVICE_H
