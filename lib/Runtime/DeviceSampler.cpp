//===- DeviceSampler.cpp - Samples of two executables on a device ---------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/DeviceSampler.h"

#include <algorithm>
#include <numeric>

using namespace tonno;

static size_t countSets(size_t setBytes, uint64_t cacheBytes,
                        const ProtocolOptions &options) {
  auto wanted =
      static_cast<size_t>(options.cacheShare * static_cast<double>(cacheBytes) /
                          static_cast<double>(setBytes));
  // Each set has room for two.
  size_t affordable = options.maxRotationBytes / (2 * setBytes);
  return std::clamp<size_t>(std::min(wanted, affordable), 2,
                            options.maxRotationSets) |
         1;
}

Result<BufferRotation, Failure>
BufferRotation::create(Device &device, const Signature &signature,
                       BufferContents inputs, const ProtocolOptions &options,
                       uint64_t seed) {
  size_t setBytes = BufferSet::bytesFor(signature);
  size_t count = countSets(setBytes, device.description().cacheBytes, options);
  auto memory = DeviceBlock::allocate(device, 2 * count * setBytes);
  if (!memory)
    return memory.error();
  uint64_t touched = 0;
  for (const BufferSpec &buffer : signature)
    touched += count * buffer.bytes();
  bool isLarge = touched > device.description().cacheBytes;
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
    auto set = BufferSet::place(
        *device, signature, memory.start() + order[i] * setBytes, generator);
    if (!set)
      return set.error();
    if (auto filled = set->fill(inputs); !filled)
      return filled;
    sets.push_back(std::move(*set));
  }
  return {};
}

/// What an artifact needs beyond the buffers of its kernel.
static std::span<const BufferSpec> workspaceOf(const Artifact &artifact) {
  return std::span(artifact.plan.buffers)
      .subspan(artifact.plan.signature().size());
}

Result<DeviceSampler, Failure>
DeviceSampler::create(Device &device, BufferRotation &rotation,
                      std::vector<const Artifact *> artifacts) {
  DeviceSampler sampler(device, rotation, std::move(artifacts));
  size_t bytes = 0;
  for (const Artifact *artifact : sampler.artifacts)
    if (auto buffers = workspaceOf(*artifact); !buffers.empty())
      bytes = std::max(bytes, BufferSet::bytesFor(buffers));
  if (bytes != 0) {
    auto memory = DeviceBlock::allocate(device, bytes);
    if (!memory)
      return memory.error();
    sampler.workspace.emplace(std::move(*memory));
  }
  if (auto loaded = sampler.reload(); !loaded)
    return loaded.error();
  return sampler;
}

Result<double, Failure> DeviceSampler::sample(size_t entrant) {
  Loaded &loaded = entrants[entrant];
  std::vector<std::vector<DevicePointer>> batch(1);
  BufferSet &set = rotation.next();
  std::span<const DevicePointer> buffers = set.pointers();
  batch[0].assign(buffers.begin(), buffers.end());
  batch[0].insert(batch[0].end(), loaded.workspace.begin(),
                  loaded.workspace.end());
  if (!rotation.coversCache())
    if (auto flushed = device.flush(); !flushed)
      return flushed.error();
  auto seconds = device.time(*loaded.executable, batch);
  if (!seconds)
    return seconds;
  if (auto restored = rotation.restore(set); !restored)
    return restored.error();
  return seconds;
}

Result<DeviceSampler::Loaded, Failure>
DeviceSampler::load(const Artifact &artifact) {
  auto executable = device.load(artifact);
  if (!executable)
    return executable.error();
  Loaded loaded;
  loaded.executable = std::move(*executable);
  auto buffers = workspaceOf(artifact);
  if (buffers.empty())
    return loaded;
  std::mt19937_64 layout(0);
  auto set = BufferSet::place(device, buffers, workspace->start(), layout);
  if (!set)
    return set.error();
  loaded.workspace.assign(set->pointers().begin(), set->pointers().end());
  return loaded;
}

Result<void, Failure> DeviceSampler::reload() {
  entrants.clear();
  for (const Artifact *artifact : artifacts) {
    auto loaded = load(*artifact);
    if (!loaded)
      return loaded.error();
    entrants.push_back(std::move(*loaded));
  }
  return {};
}
