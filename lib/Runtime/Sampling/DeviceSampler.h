//===- Times artifacts on a device ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_SAMPLING_DEVICESAMPLER_H
#define TONNO_LIB_RUNTIME_SAMPLING_DEVICESAMPLER_H

#include "tonno/Engine/Budget.h"
#include "tonno/Runtime/Device.h"
#include "tonno/Timing/Protocol.h"
#include "BufferSet.h"

#include <functional>
#include <optional>

namespace tonno {

/// Follows which entrant a sampler runs or loads.
struct EntrantWatch {
  std::function<void(size_t)> entering = [](size_t) {};
  bool checksInputs = false;     ///< that are only read, after each sample
  std::optional<size_t> running; ///< after a failure: the entrant that failed
};

/// Times artifacts, the baseline first, on the same rotated buffers. Each
/// launch has the same contents, out of the cache by the rotation or a flush,
/// or warm by an earlier launch. What a launch at load computes is there before
/// a sample begins, and as cold as the rest: out of the cache by a flush. Short
/// launches are timed in batches, each on a separate set, or on a warm one that
/// they do not both read and write.
class DeviceSampler : public Sampler {
public:
  static Result<DeviceSampler, Failure>
  create(Device &device, BufferRotation &rotation,
         std::vector<const Artifact *> artifacts,
         const ProtocolOptions &options, EntrantWatch *watch = nullptr);

  Result<double, Failure> sample(size_t entrant) override;
  Result<double, Failure> warm(size_t entrant) override;
  double clockSeconds() const override { return steadySeconds(); }
  size_t batch() const override { return batchSize; }
  void expectSeconds(double least, double most) override;
  Result<void, Failure> redraw() override { return rotation.redraw(); }
  Result<void, Failure> reload() override;

  /// Counts the events of one more launch, from the state in which those that
  /// are timed begin; none if the device counts none.
  Result<EventCounts, Failure> countEvents(size_t entrant);

  /// Calls `check` with the outputs of each candidate's launch that is timed
  /// from now on; no launch finds another's outputs. A Failure ends the sample.
  using LaunchCheck =
      std::function<Result<void, Failure>(const BufferContents &outputs)>;
  Result<void, Failure> checkLaunches(LaunchCheck check);

  /// Accepts disturbed samples, and subtracts the time that other processes
  /// took.
  void acceptContention() { isAccepting = true; }
  /// Returns true if more samples were disturbed than the protocol allows.
  bool isContended() const;
  /// Fails with `contended` if so, and names who disturbed, unless accepted.
  Result<void, Failure> checkContention() const;

private:
  struct Loaded {
    std::unique_ptr<Executable> executable;
    std::vector<DevicePointer> workspace;
  };

  DeviceSampler(Device &device, BufferRotation &rotation,
                std::vector<const Artifact *> artifacts,
                const ProtocolOptions &options, EntrantWatch *watch)
      : device(device), rotation(rotation), artifacts(std::move(artifacts)),
        options(options), watch(watch) {}

  /// Runs `work` for this entrant; returns its result, or the failure if it
  /// changed its inputs.
  template <typename Work> auto watched(size_t entrant, const Work &work);
  Result<Loaded, Failure> load(const Artifact &artifact);
  static std::vector<DevicePointer> listBuffers(const Loaded &loaded,
                                                const BufferSet &set);
  Result<double, Failure> take(size_t entrant);
  /// Times a batch, and records if other processes took more than the allowed
  /// share of the time.
  Result<double, Failure> time(Executable &executable, LaunchBatch batch);
  /// Takes a sample, a few times if it was disturbed.
  Result<double, Failure> takeUndisturbed(size_t entrant);
  /// Checks what a launch has left and prepares for the next one.
  Result<void, Failure> finish(size_t entrant, BufferSet &set);
  /// Overwrites the cache of a device that can't flush it.
  Result<void, Failure> evict();
  /// Brings the cache into the protocol's state for the next launch.
  Result<void, Failure> prepareCache(Loaded &loaded,
                                     std::span<const DevicePointer> buffers,
                                     BufferSet &set);

  Device &device;
  BufferRotation &rotation;
  std::vector<const Artifact *> artifacts;
  const ProtocolOptions &options;
  bool isAccepting = false;
  bool isDisturbed = false; ///< the last sample
  size_t samples = 0, disturbed = 0;
  EntrantWatch *watch;
  LaunchCheck launchCheck; ///< empty if launches are not checked
  size_t batchSize = 1;
  std::vector<Loaded> entrants;
  std::optional<DeviceBlock> workspace; ///< one for all: they take turns
  bool hasLaunchAtLoad = false;         ///< if an entrant has
  std::optional<DeviceBlock> evictor;   ///< fills the cache; only if needed
};

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_SAMPLING_DEVICESAMPLER_H
