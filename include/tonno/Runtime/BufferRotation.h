//===- Buffers that leave the cache ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_BUFFERROTATION_H
#define TONNO_RUNTIME_BUFFERROTATION_H

#include "tonno/Runtime/BufferSet.h"
#include "tonno/Timing/Protocol.h"

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

  /// Makes a set's outputs what they were before any launch.
  Result<void, Failure> reset(BufferSet &set) { return set.reset(inputs); }
  /// The same, of every set.
  Result<void, Failure> resetAll();

  /// A Failure out_of_bounds if a launch has written into what all of them only
  /// read, in any set, or between rows: whoever is timed next would find that.
  /// Where a look at the device's memory takes no copy.
  Result<void, Failure> checkInputs() const;

  /// Places every set anew: in other memory, at other offsets.
  Result<void, Failure> redraw();

private:
  BufferRotation(Device &device, const Signature &signature,
                 BufferContents inputs, DeviceBlock memory, size_t setCount,
                 size_t placeCount, bool isLarge, uint64_t seed)
      : device(&device), signature(signature), inputs(std::move(inputs)),
        memory(std::move(memory)), setCount(setCount), placeCount(placeCount),
        isLarge(isLarge), generator(seed) {}

  Device *device;
  Signature signature;
  BufferContents inputs;
  /// Room for twice as many sets, if that much may be had, so that a redraw
  /// finds other pages without asking the system for new ones, which costs more
  /// than the samples.
  DeviceBlock memory;
  size_t setCount, placeCount;
  bool isLarge;
  std::mt19937_64 generator;
  std::vector<BufferSet> sets;
  size_t position = 0;
};

} // namespace tonno

#endif // TONNO_RUNTIME_BUFFERROTATION_H
