//===- A plan's buffers on a device, and sets of them in rotation ---------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_SAMPLING_BUFFERSET_H
#define TONNO_LIB_RUNTIME_SAMPLING_BUFFERSET_H

#include "tonno/Runtime/Device.h"
#include "tonno/Timing/Protocol.h"

#include <array>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace tonno {

/// The elements of buffers in the host's memory, in the order of their specs.
/// Each buffer's are in row-major order without gaps, whatever its strides.
using BufferContents = std::vector<std::vector<std::byte>>;

/// A block of device memory, released with it.
class DeviceBlock {
public:
  static Result<DeviceBlock, Failure> allocate(Device &device, size_t bytes);
  DeviceBlock(DeviceBlock &&other) noexcept
      : device(other.device), memory(std::exchange(other.memory, nullptr)) {}
  DeviceBlock &operator=(DeviceBlock &&other) noexcept {
    std::swap(device, other.device);
    std::swap(memory, other.memory);
    return *this;
  }
  ~DeviceBlock() {
    if (memory)
      device->release(memory);
  }

  DevicePointer start() const { return {memory, 0}; }

private:
  DeviceBlock(Device &device, DeviceMemory memory)
      : device(&device), memory(memory) {}

  Device *device;
  DeviceMemory memory;
};

/// Buffers on a device. In front of and behind each lies a redzone with a known
/// pattern, which ends where the next one begins, and so do the gaps between a
/// buffer's elements where its strides leave any: a launch that writes there is
/// found out.
class BufferSet {
public:
  /// Memory that a set needs, whatever its layout: whole pages.
  static size_t bytesFor(std::span<const BufferSpec> buffers);

  /// Says if `place` writes the redzones' pattern. Timing needs none: writing
  /// it takes longer than the timed launch. The oracle writes it with
  /// `swapRedzones` before each launch.
  enum class Redzones { written, bare };

  /// Lays the buffers out in a block of `bytesFor` bytes, which the caller
  /// keeps. The generator draws where in it each starts, at a multiple of its
  /// alignment: the same code differs by up to 2 % between placements.
  static Result<BufferSet, Failure>
  place(Device &device, std::span<const BufferSpec> buffers,
        DevicePointer block, std::mt19937_64 &generator,
        Redzones redzones = Redzones::written);

  /// Each buffer in a block of its own, of a device that guards these, where it
  /// begins with the block or ends with it, as closely as its alignment allows.
  enum class Edge { begin, end };
  static Result<BufferSet, Failure>
  placeAt(Edge edge, Device &device, std::span<const BufferSpec> buffers);

  /// Writes the redzones anew, huge where they were small: what a launch adds
  /// to a huge number vanishes, and what it does with a small one may.
  Result<void, Failure> swapRedzones();

  std::span<const DevicePointer> pointers() const { return data; }

  /// Uploads the contents of every buffer that the kernel reads, and poisons
  /// the others: all bits set, which is NaN in every float. Workspace needs no
  /// contents.
  Result<void, Failure> fill(const BufferContents &contents);

  /// Of what was placed at edges: whether launches may write to what they only
  /// read.
  Result<void, Failure> setInputsWritable(bool areWritable);

  /// Uploads the contents of those buffers alone that a launch reads and
  /// writes, so that the next one finds what the first one found.
  Result<void, Failure> restore(const BufferContents &contents);

  /// Makes the outputs what `fill` makes them. The workspace stays as a launch
  /// has left it.
  Result<void, Failure> reset(const BufferContents &contents);

  /// Of every buffer but the workspace, which comes back empty.
  Result<BufferContents, Failure> download() const {
    return download(/*withInputs=*/true);
  }

  /// Of the buffers that the kernel writes; the others come back empty.
  Result<BufferContents, Failure> downloadOutputs() const {
    return download(/*withInputs=*/false);
  }

  /// A Failure out_of_bounds that names the buffer and side if a redzone that
  /// was written has changed, or a gap since the buffers were filled.
  Result<void, Failure> checkRedzones() const;

  /// A Failure out_of_bounds if what a launch may only read is no longer what
  /// it was filled with, or a gap of what it writes has changed; on devices
  /// whose memory can be viewed.
  Result<void, Failure> checkInputs(const BufferContents &contents) const;

private:
  BufferSet(Device &device, std::span<const BufferSpec> buffers)
      : device(&device), buffers(buffers.begin(), buffers.end()) {}

  /// Takes the next buffer into so many bytes of room, so far behind its start.
  void put(const BufferSpec &buffer, DevicePointer room, size_t front,
           size_t bytes);
  Result<void, Failure> poison(size_t buffer);
  Result<BufferContents, Failure> download(bool withInputs) const;
  Result<void, Failure> upload(size_t buffer,
                               std::span<const std::byte> elements);
  /// With gaps.
  Result<std::vector<std::byte>, Failure> memoryOf(size_t buffer) const;
  Result<void, Failure> checkGaps(size_t buffer) const;

  /// What lies on one side of a buffer.
  struct Zone {
    DevicePointer start;
    size_t bytes = 0;
  };

  Device *device;
  std::vector<BufferSpec> buffers;
  std::vector<DevicePointer> data;
  std::vector<std::array<Zone, 2>> zones; ///< in front of each, and behind
  std::vector<DeviceBlock> blocks;        ///< of its own
  bool isHugeFirst = false;               ///< of each redzone's words
};

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

#endif // TONNO_LIB_RUNTIME_SAMPLING_BUFFERSET_H
