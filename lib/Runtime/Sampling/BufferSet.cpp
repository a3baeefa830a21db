//===- A plan's buffers on a device, and sets of them in rotation ---------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BufferSet.h"
#include "tonno/Runtime/Elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

using namespace tonno;

static constexpr size_t redzoneBytes = 4096;
/// Starts differ within a page; which pages, the block's address decides.
static constexpr size_t placementBytes = 4096;
/// Huge in f32, f64 and bf16, NaN in f16, large in every integer: reading too
/// far shows. (0xA5 is 3e-16 in a float, which vanishes.)
static constexpr std::byte redzonePattern{0x7F};
/// Pattern of every other word: -6 in f32 and -9000 in f64, so that an addition
/// in place or a maximum with zero shows.
static constexpr std::byte smallPattern{0xC0};
static constexpr size_t wordBytes = 8;
static constexpr std::byte poisonPattern{0xFF};

Result<DeviceBlock, Failure> DeviceBlock::allocate(Device &device,
                                                   size_t bytes) {
  auto memory = TONNO_TRY(device.allocate(bytes));
  return DeviceBlock(device, memory);
}

/// Returns the bytes for one buffer: its redzones, and the range in which it
/// may start, with either alignment.
static size_t bytesFor(const BufferSpec &buffer) {
  return buffer.bytes() + 2 * redzoneBytes + placementBytes +
         std::max(2 * buffer.alignment, bufferAlignment);
}

/// Returns the first such start that is not below `least`.
static size_t alignedStart(size_t least, const BufferSpec &buffer,
                           BufferSet::Starts starts) {
  auto roundUp = [](size_t offset, size_t step) {
    return (offset + step - 1) / step * step;
  };
  size_t alignment = std::max<size_t>(buffer.alignment, 1);
  if (starts == BufferSet::Starts::timed)
    return roundUp(least, std::max(alignment, bufferAlignment));
  return roundUp(least + alignment, 2 * alignment) - alignment;
}

static std::vector<std::byte> redzoneContents(size_t bytes, bool isHugeFirst) {
  std::vector<std::byte> contents(bytes);
  for (size_t i = 0; i < bytes; ++i)
    contents[i] =
        (i / wordBytes % 2 == 0) == isHugeFirst ? redzonePattern : smallPattern;
  return contents;
}

size_t BufferSet::bytesFor(std::span<const BufferSpec> buffers) {
  size_t bytes = placementBytes - 1;
  for (const BufferSpec &buffer : buffers)
    if (__builtin_add_overflow(bytes, ::bytesFor(buffer), &bytes))
      return std::numeric_limits<size_t>::max(); // which no device has
  return bytes / placementBytes * placementBytes;
}

Result<BufferSet, Failure> BufferSet::place(Device &device,
                                            std::span<const BufferSpec> buffers,
                                            DevicePointer block,
                                            std::mt19937_64 &generator,
                                            Redzones zones, Starts starts) {
  BufferSet set(device, buffers);
  size_t free = block.offset;
  for (const BufferSpec &buffer : buffers) {
    size_t least = free + redzoneBytes + generator() % placementBytes;
    size_t start = alignedStart(least, buffer, starts);
    set.put(buffer, {block.memory, free}, start - free, ::bytesFor(buffer));
    free += ::bytesFor(buffer);
  }
  if (zones == Redzones::written)
    TONNO_TRY(set.swapRedzones());
  return set;
}

void BufferSet::put(const BufferSpec &buffer, DevicePointer room, size_t front,
                    size_t bytes) {
  DevicePointer first = room + front;
  data.push_back(first);
  zones.push_back({Zone{room, front}, Zone{first + buffer.bytes(),
                                           bytes - front - buffer.bytes()}});
}

Result<BufferSet, Failure>
BufferSet::allocateAtEdge(Edge edge, Device &device,
                          std::span<const BufferSpec> buffers) {
  BufferSet set(device, buffers);
  for (const BufferSpec &buffer : buffers) {
    size_t alignment = std::max<size_t>(buffer.alignment, 1);
    // Whole pages, one of them at least beside the buffer.
    size_t bytes = buffer.bytes() + redzoneBytes + alignment;
    bytes = (bytes + placementBytes - 1) / placementBytes * placementBytes;
    auto block = TONNO_TRY(DeviceBlock::allocate(device, bytes));
    size_t front = edge == Edge::begin
                       ? 0
                       : (bytes - buffer.bytes()) / alignment * alignment;
    set.put(buffer, block.start(), front, bytes);
    set.blocks.push_back(std::move(block));
  }
  return set;
}

Result<void, Failure> BufferSet::setInputsWritable(bool areWritable) {
  for (size_t i = 0; i < blocks.size(); ++i)
    if (buffers[i].access == Access::read)
      TONNO_TRY(device->setWritable(blocks[i].start().memory, areWritable));
  return {};
}

Result<void, Failure> BufferSet::swapRedzones() {
  isHugeFirst = !isHugeFirst;
  for (const auto &sides : zones)
    for (const Zone &zone : sides)
      TONNO_TRY(
          device->upload(zone.start, redzoneContents(zone.bytes, isHugeFirst)));
  return {};
}

Result<void, Failure> BufferSet::upload(size_t buffer,
                                        std::span<const std::byte> elements) {
  if (buffers[buffer].isDense())
    return device->upload(data[buffer], elements);
  return device->upload(data[buffer],
                        scatter(buffers[buffer], elements, redzonePattern));
}

Result<void, Failure> BufferSet::poison(size_t buffer) {
  const BufferSpec &spec = buffers[buffer];
  size_t bytes = spec.elements() * getByteSize(spec.elementType);
  if (!spec.isDense())
    return upload(buffer, std::vector<std::byte>(bytes, poisonPattern));
  // Uploads pieces that stay in a cache, as this follows each timed launch.
  static const std::vector<std::byte> piece(size_t{1} << 16, poisonPattern);
  for (size_t done = 0; done < bytes; done += piece.size()) {
    auto next = std::span(piece).first(std::min(piece.size(), bytes - done));
    TONNO_TRY(device->upload(data[buffer] + done, next));
  }
  return {};
}

Result<void, Failure> BufferSet::fill(const BufferViews &contents) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    bool isRead = buffers[i].access == Access::read ||
                  buffers[i].access == Access::read_write;
    TONNO_TRY(isRead ? upload(i, contents[i]) : poison(i));
  }
  return {};
}

Result<void, Failure> BufferSet::reset(const BufferContents &contents) {
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].access == Access::write)
      TONNO_TRY(poison(i));
  return restore(contents);
}

Result<void, Failure> BufferSet::restore(const BufferContents &contents) {
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].access == Access::read_write)
      TONNO_TRY(upload(i, contents[i]));
  return {};
}

Result<std::vector<std::byte>, Failure>
BufferSet::readMemory(size_t buffer) const {
  size_t bytes = buffers[buffer].bytes();
  if (const std::byte *there = device->view(data[buffer]))
    return std::vector<std::byte>(there, there + bytes);
  std::vector<std::byte> memory(bytes);
  TONNO_TRY(device->download(memory, data[buffer]));
  return memory;
}

Result<BufferContents, Failure> BufferSet::download(bool withInputs) const {
  BufferContents contents;
  for (size_t i = 0; i < buffers.size(); ++i) {
    auto &elements = contents.emplace_back();
    Access access = buffers[i].access;
    if (access == Access::workspace || (access == Access::read && !withInputs))
      continue;
    auto memory = TONNO_TRY(readMemory(i));
    elements =
        buffers[i].isDense() ? std::move(memory) : gather(buffers[i], memory);
  }
  return contents;
}

Result<void, Failure> BufferSet::checkGaps(size_t buffer) const {
  if (buffers[buffer].isDense())
    return {};
  auto memory = TONNO_TRY(readMemory(buffer));
  std::vector<std::byte> elements = gather(buffers[buffer], memory);
  if (scatter(buffers[buffer], elements, redzonePattern) == memory)
    return {};
  return Failure{Status::out_of_bounds,
                 "wrote into " + buffers[buffer].name + " between its rows"};
}

Result<void, Failure>
BufferSet::checkInputs(const BufferContents &contents) const {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const std::byte *memory = device->view(data[i]);
    if (!memory)
      return {};
    if (buffers[i].access != Access::read) {
      TONNO_TRY(checkGaps(i));
      continue;
    }
    std::vector<std::byte> scattered;
    if (!buffers[i].isDense())
      scattered = scatter(buffers[i], contents[i], redzonePattern);
    const auto &expected = buffers[i].isDense() ? contents[i] : scattered;
    if (std::memcmp(memory, expected.data(), expected.size()) != 0)
      return Failure{Status::out_of_bounds,
                     "wrote into its input " + buffers[i].name};
  }
  return {};
}

Result<void, Failure> BufferSet::checkRedzones() const {
  for (size_t i = 0; i < buffers.size(); ++i) {
    for (bool behind : {false, true}) {
      const Zone &zone = zones[i][behind];
      std::vector<std::byte> found(zone.bytes);
      TONNO_TRY(device->download(found, zone.start));
      if (found != redzoneContents(zone.bytes, isHugeFirst))
        return Failure{Status::out_of_bounds,
                       std::string("wrote ") +
                           (behind ? "past the end" : "before the start") +
                           " of " + buffers[i].name};
    }
    TONNO_TRY(checkGaps(i));
  }
  return {};
}

/// Returns the number of buffer sets of `setBytes`, with redzones, of which
/// `dataBytes` are data.
static size_t countSets(size_t setBytes, size_t dataBytes, uint64_t mostBytes,
                        uint64_t cacheBytes, const ProtocolOptions &options) {
  if (options.cacheState == CacheState::warm)
    return 1;
  // Each set has room for two.
  uint64_t affordable =
      std::min(mostBytes / (2 * setBytes), options.maxRotationSets);
  double wanted =
      std::ceil(options.cacheShare * static_cast<double>(cacheBytes) /
                static_cast<double>(dataBytes));
  auto count = static_cast<uint64_t>(
      std::clamp(wanted, 3.0, static_cast<double>(options.maxRotationSets)));
  if ((count | 1) <= affordable)
    return count | 1;
  // The largest odd number.
  return affordable > 0 ? (affordable - 1) | 1 : 1;
}

Result<BufferRotation, Failure>
BufferRotation::create(Device &device, const Signature &signature,
                       BufferContents inputs, const ProtocolOptions &options,
                       uint64_t seed) {
  size_t setBytes = BufferSet::bytesFor(signature);
  size_t dataBytes = 0;
  for (const BufferSpec &buffer : signature)
    dataBytes += buffer.bytes();
  dataBytes = std::max<size_t>(dataBytes, 1);
  const DeviceDescription &about = device.description();
  uint64_t mostBytes = options.maxRotationBytes;
  if (about.memoryBytes != 0) // others need some, too
    mostBytes = std::min(mostBytes, about.memoryBytes / 4);
  size_t count =
      countSets(setBytes, dataBytes, mostBytes, about.cacheBytes, options);
  bool isLarge = count * dataBytes > about.cacheBytes;
  if (!isLarge && count > options.maxFlushedSets) {
    auto flushed = TONNO_TRY(device.flush());
    if (flushed)
      count = options.maxFlushedSets | 1;
  }
  size_t places = 2 * count * setBytes <= mostBytes ? 2 * count : count;
  auto memory = TONNO_TRY(DeviceBlock::allocate(device, places * setBytes));
  BufferRotation rotation(device, signature, std::move(inputs),
                          std::move(memory), count, places, isLarge, seed);
  TONNO_TRY(rotation.redraw());
  return rotation;
}

Result<void, Failure> BufferRotation::redraw() {
  sets.clear();
  size_t setBytes = BufferSet::bytesFor(signature);
  std::vector<size_t> order(placeCount);
  std::iota(order.begin(), order.end(), size_t(0));
  for (size_t i = 0; i < setCount; ++i) {
    std::swap(order[i], order[i + generator() % (order.size() - i)]);
    auto set = TONNO_TRY(BufferSet::place(
        *device, signature, memory.start() + order[i] * setBytes, generator,
        BufferSet::Redzones::bare));
    TONNO_TRY(set.fill(inputs));
    sets.push_back(std::move(set));
  }
  return {};
}

Result<void, Failure> BufferRotation::resetAll() {
  for (BufferSet &set : sets)
    TONNO_TRY(reset(set));
  return {};
}

Result<void, Failure> BufferRotation::checkInputs() const {
  for (const BufferSet &set : sets)
    TONNO_TRY(set.checkInputs(inputs));
  return {};
}
