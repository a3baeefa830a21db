//===- Buffers that leave the cache ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/BufferRotation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace tonno;

/// How many sets of so many bytes, with their redzones, and of those of data.
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
  // The largest odd number; one set of what is larger than the cache leaves it
  // by itself.
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
    auto flushed = device.flush();
    if (!flushed)
      return flushed.error();
    if (*flushed)
      count = options.maxFlushedSets | 1;
  }
  size_t places = 2 * count * setBytes <= mostBytes ? 2 * count : count;
  auto memory = DeviceBlock::allocate(device, places * setBytes);
  if (!memory)
    return memory.error();
  BufferRotation rotation(device, signature, std::move(inputs),
                          std::move(*memory), count, places, isLarge, seed);
  if (auto drawn = rotation.redraw(); !drawn)
    return drawn.error();
  return rotation;
}

Result<void, Failure> BufferRotation::redraw() {
  sets.clear();
  size_t setBytes = BufferSet::bytesFor(signature);
  std::vector<size_t> order(placeCount);
  std::iota(order.begin(), order.end(), size_t(0));
  for (size_t i = 0; i < setCount; ++i) {
    std::swap(order[i], order[i + generator() % (order.size() - i)]);
    auto set = BufferSet::place(*device, signature,
                                memory.start() + order[i] * setBytes, generator,
                                BufferSet::Redzones::bare);
    if (!set)
      return set.error();
    if (auto filled = set->fill(inputs); !filled)
      return filled;
    sets.push_back(std::move(*set));
  }
  return {};
}

Result<void, Failure> BufferRotation::resetAll() {
  for (BufferSet &set : sets)
    if (auto done = reset(set); !done)
      return done;
  return {};
}

Result<void, Failure> BufferRotation::checkInputs() const {
  for (const BufferSet &set : sets)
    if (auto intact = set.checkInputs(inputs); !intact)
      return intact;
  return {};
}
