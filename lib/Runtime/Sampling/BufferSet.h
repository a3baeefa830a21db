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

/// The buffers' elements in the host's memory, in row-major order without gaps,
/// whatever their strides.
using BufferContents = std::vector<std::vector<std::byte>>;

/// Contents that are kept elsewhere.
using BufferViews = std::vector<std::span<const std::byte>>;

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

/// Buffers on a device. Redzones with a known pattern around each, and in the
/// gaps between its elements, show if a launch writes there.
class BufferSet {
public:
  /// Returns the bytes that a set needs, whatever its layout: whole pages.
  static size_t bytesFor(std::span<const BufferSpec> buffers);

  /// State of the redzones after `place`. `bare` is for timing, since writing
  /// takes longer than a launch; the oracle writes them by `swapRedzones`.
  enum class Redzones { written, bare };

  /// Alignment of the buffers' starts. `timed` is at least that of results, so
  /// that no vector crosses a cache line for what a plan leaves open, and times
  /// of plans with different alignments can be compared. `promised` is that of
  /// the plan and no more: odd multiples, where code that relies on a wider
  /// alignment faults.
  enum class Starts { timed, promised };

  /// Lays the buffers out in a block of `bytesFor` bytes, which the caller
  /// keeps, at random aligned starts: the same code differs by up to 2 %
  /// between placements.
  static Result<BufferSet, Failure>
  place(Device &device, std::span<const BufferSpec> buffers,
        DevicePointer block, std::mt19937_64 &generator,
        Redzones redzones = Redzones::written, Starts starts = Starts::timed);

  /// Puts each buffer in a guarded block of its own, at its begin or, as
  /// closely as the alignment allows, its end.
  enum class Edge { begin, end };
  static Result<BufferSet, Failure>
  allocateAtEdge(Edge edge, Device &device,
                 std::span<const BufferSpec> buffers);

  /// Writes the redzones anew, huge where they were small: adding to a huge
  /// number may vanish.
  Result<void, Failure> swapRedzones();

  std::span<const DevicePointer> pointers() const { return data; }

  /// Uploads the contents of all buffers that are read and poisons the others
  /// with bits that are NaN in every float type.
  Result<void, Failure> fill(const BufferViews &contents);
  Result<void, Failure> fill(const BufferContents &contents) {
    return fill(BufferViews(contents.begin(), contents.end()));
  }

  /// Protects the inputs of what was placed at edges, or no longer.
  Result<void, Failure> setInputsWritable(bool areWritable);

  /// Uploads what a launch reads and writes, for the next one.
  Result<void, Failure> restore(const BufferContents &contents);

  /// Makes the outputs what `fill` makes them, but for workspace.
  Result<void, Failure> reset(const BufferContents &contents);

  /// Downloads every buffer but the workspace, which stays empty.
  Result<BufferContents, Failure> download() const {
    return download(/*withInputs=*/true);
  }

  /// Downloads the buffers that the kernel writes; the others stay empty.
  Result<BufferContents, Failure> downloadOutputs() const {
    return download(/*withInputs=*/false);
  }

  /// Fails with out_of_bounds if a redzone or gap has changed.
  Result<void, Failure> checkRedzones() const;

  /// Fails with out_of_bounds if an input or a gap has changed, where the
  /// device's memory can be viewed.
  Result<void, Failure> checkInputs(const BufferContents &contents) const;

private:
  BufferSet(Device &device, std::span<const BufferSpec> buffers)
      : device(&device), buffers(buffers.begin(), buffers.end()) {}

  /// Places the next buffer in `bytes` of memory, `front` bytes after its
  /// start.
  void put(const BufferSpec &buffer, DevicePointer room, size_t front,
           size_t bytes);
  Result<void, Failure> poison(size_t buffer);
  Result<BufferContents, Failure> download(bool withInputs) const;
  Result<void, Failure> upload(size_t buffer,
                               std::span<const std::byte> elements);
  /// Returns the buffer's memory, with gaps.
  Result<std::vector<std::byte>, Failure> readMemory(size_t buffer) const;
  Result<void, Failure> checkGaps(size_t buffer) const;

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

/// Buffer sets in rotation, so that each sample finds its data out of the
/// last-level cache, within the protocol's limits. An odd number: two sides in
/// turns would otherwise see half of the sets each. One for a warm cache.
class BufferRotation {
public:
  static Result<BufferRotation, Failure>
  create(Device &device, const Signature &signature, BufferContents inputs,
         const ProtocolOptions &options, uint64_t seed);

  BufferSet &next() { return sets[position++ % sets.size()]; }
  size_t size() const { return setCount; }

  /// Returns true if the sets hold more than the last-level cache. Redzones
  /// don't count, since they are never read.
  bool coversCache() const { return isLarge; }

  /// Restores the buffers that a launch reads and writes, after the launch, so
  /// that the data has left the cache by the next.
  Result<void, Failure> restore(BufferSet &set) { return set.restore(inputs); }

  /// Restores a set's outputs to their contents before any launch.
  Result<void, Failure> reset(BufferSet &set) { return set.reset(inputs); }
  Result<void, Failure> resetAll();

  /// Fails with out_of_bounds if an input or a gap of any set has changed,
  /// which would affect later candidates. Requires memory that can be viewed.
  Result<void, Failure> checkInputs() const;

  /// Places every set at other addresses and offsets.
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
  /// Room for twice the sets, if possible: a redraw then finds other pages
  /// without new ones of the system, which cost more than samples.
  DeviceBlock memory;
  size_t setCount, placeCount;
  bool isLarge;
  std::mt19937_64 generator;
  std::vector<BufferSet> sets;
  size_t position = 0;
};

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_SAMPLING_BUFFERSET_H
