//===- BufferRotation.cpp - Buffers that leave the cache ------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/BufferRotation.h"

#include <algorithm>
#include <numeric>

using namespace tonno;

static size_t countSets(size_t setBytes, size_t dataBytes,
                        const DeviceDescription &device,
                        const ProtocolOptions &options) {
  if (options.cacheState == CacheState::warm)
    return 1;
  auto wanted = static_cast<size_t>(options.cacheShare *
                                    static_cast<double>(device.cacheBytes) /
                                    static_cast<double>(dataBytes));
  uint64_t bytes = options.maxRotationBytes;
  if (device.memoryBytes != 0)
    bytes = std::min(bytes, device.memoryBytes / 4); // others need some, too
  // Each set has room for two.
  size_t affordable = bytes / (2 * setBytes);
  return std::clamp<size_t>(std::min(wanted, affordable), 2,
                            options.maxRotationSets) |
         1;
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
  size_t count = countSets(setBytes, dataBytes, device.description(), options);
  bool isLarge = count * dataBytes > device.description().cacheBytes;
  if (!isLarge && count > options.maxFlushedSets) {
    auto flushed = device.flush();
    if (!flushed)
      return flushed.error();
    if (*flushed)
      count = options.maxFlushedSets | 1;
  }
  auto memory = DeviceBlock::allocate(device, 2 * count * setBytes);
  if (!memory)
    return memory.error();
  BufferRotation rotation(device, signature, std::move(inputs),
                          std::move(*memory), count, isLarge, seed);
  if (auto drawn = rotation.redraw(); !drawn)
    return drawn.error();
  return rotation;
}

Result<void, Failure> BufferRotation::redraw() {
  sets.clear();
  size_t setBytes = BufferSet::bytesFor(signature);
  std::vector<size_t> order(2 * setCount);
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
