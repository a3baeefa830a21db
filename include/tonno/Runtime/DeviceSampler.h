//===- DeviceSampler.h - Samples of two executables on a device -*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_RUNTIME_DEVICESAMPLER_H
#define TONNO_RUNTIME_DEVICESAMPLER_H

#include "tonno/Runtime/BufferSet.h"
#include "tonno/Runtime/ContentionWatch.h"
#include "tonno/Runtime/Protocol.h"

#include <optional>

namespace tonno {

/// Buffer sets that are rotated, so that each sample finds its data out of the
/// last-level cache, as far as the protocol's limits on their number and bytes
/// allow. All candidates of a session share them. Their number is odd: two
/// sides that take turns would otherwise each see only half of the sets, and
/// differ by their placement. For times with a warm cache there is only one.
class BufferRotation {
public:
  static Result<BufferRotation, Failure>
  create(Device &device, const Signature &signature, BufferContents inputs,
         const ProtocolOptions &options, uint64_t seed);

  BufferSet &next() { return sets[position++ % sets.size()]; }
  size_t size() const { return setCount; }

  /// Whether what the sets hold is more than the last-level cache. Tiny buffers
  /// are not, however many sets there are: their redzones are never read.
  bool coversCache() const { return isLarge; }

  /// Gives a set's buffers that a launch read and wrote their first contents
  /// again. Done behind a launch, not in front of the next: so the data is out
  /// of the cache by then, as all other data is.
  Result<void, Failure> restore(BufferSet &set) { return set.restore(inputs); }

  /// Places every set anew: in other memory, at other offsets.
  Result<void, Failure> redraw();

private:
  BufferRotation(Device &device, const Signature &signature,
                 BufferContents inputs, DeviceBlock memory, size_t setCount,
                 bool isLarge, uint64_t seed)
      : device(&device), signature(signature), inputs(std::move(inputs)),
        memory(std::move(memory)), setCount(setCount), isLarge(isLarge),
        generator(seed) {}

  Device *device;
  Signature signature;
  BufferContents inputs;
  /// Room for twice as many sets, so that a redraw finds other pages without
  /// asking the system for new ones, which costs more than the samples.
  DeviceBlock memory;
  size_t setCount;
  bool isLarge;
  std::mt19937_64 generator;
  std::vector<BufferSet> sets;
  size_t position = 0;
};

/// Times artifacts, the baseline at the front, on the same rotated buffers.
/// Each launch finds the same contents in what it reads, even where it writes
/// there too. It finds it out of the cache: by the rotation, or, where that is
/// too small and the device can, by a flush. For a warm cache, a launch on the
/// same buffers goes ahead of it. Short launches are timed in batches, each on
/// a set of its own, or on a warm one that they only read and write, one after
/// the other.
class DeviceSampler : public Sampler {
public:
  static Result<DeviceSampler, Failure>
  create(Device &device, BufferRotation &rotation,
         std::vector<const Artifact *> artifacts,
         const ProtocolOptions &options);

  Result<double, Failure> sample(size_t entrant) override;
  size_t batch() const override { return batchSize; }
  void expectSeconds(double least, double most) override;
  Result<void, Failure> redraw() override { return rotation.redraw(); }
  Result<void, Failure> reload() override;

  /// A Failure `contended` if others had the device during too many samples.
  Result<void, Failure> checkContention() const { return contention.check(); }

private:
  struct Loaded {
    std::unique_ptr<Executable> executable;
    std::vector<DevicePointer> workspace;
  };

  DeviceSampler(Device &device, BufferRotation &rotation,
                std::vector<const Artifact *> artifacts,
                const ProtocolOptions &options)
      : device(device), rotation(rotation), artifacts(std::move(artifacts)),
        options(options), contention(device, options) {}

  Result<Loaded, Failure> load(const Artifact &artifact);
  Result<double, Failure> take(Loaded &loaded);
  /// So that the next launch finds what the cache is to hold.
  Result<void, Failure> prepareCache(Loaded &loaded,
                                     std::span<const DevicePointer> buffers,
                                     BufferSet &set);

  Device &device;
  BufferRotation &rotation;
  std::vector<const Artifact *> artifacts;
  const ProtocolOptions &options;
  ContentionWatch contention;
  size_t batchSize = 1;
  std::vector<Loaded> entrants;
  std::optional<DeviceBlock> workspace; ///< one for all: they take turns
};

} // namespace tonno

#endif // TONNO_RUNTIME_DEVICESAMPLER_H
