//===- DeviceSampler.cpp - Samples of two executables on a device ---------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/DeviceSampler.h"

#include <algorithm>
#include <cmath>
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

/// What an artifact needs beyond the buffers of its kernel.
static std::span<const BufferSpec> workspaceOf(const Artifact &artifact) {
  return std::span(artifact.plan.buffers)
      .subspan(artifact.plan.signature().size());
}

static bool readsWhatItWrites(const LaunchPlan &plan) {
  return std::ranges::any_of(plan.signature(), [](const BufferSpec &buffer) {
    return buffer.access == Access::read_write;
  });
}

Result<DeviceSampler, Failure>
DeviceSampler::create(Device &device, BufferRotation &rotation,
                      std::vector<const Artifact *> artifacts,
                      const ProtocolOptions &options) {
  DeviceSampler sampler(device, rotation, std::move(artifacts), options);
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

void DeviceSampler::expectSeconds(double least, double most) {
  auto affordable = static_cast<uint64_t>(
      std::max(options.maxBatchSeconds / std::max(most, 1e-9), 1.0));
  uint64_t limit = std::min(options.maxBatch, affordable);
  if (options.cacheState == CacheState::cold)
    limit = std::min<uint64_t>(limit, rotation.size());
  else if (readsWhatItWrites(artifacts.front()->plan))
    limit = 1; // the second launch would find other contents
  double wanted = std::ceil(options.batchSeconds / std::max(least, 1e-9));
  batchSize =
      static_cast<size_t>(std::clamp(wanted, 1.0, static_cast<double>(limit)));
}

Result<double, Failure> DeviceSampler::sample(size_t entrant) {
  return contention.takeUndisturbed([&] { return take(entrants[entrant]); });
}

Result<void, Failure> DeviceSampler::prepareCache(
    Loaded &loaded, std::span<const DevicePointer> buffers, BufferSet &set) {
  if (options.cacheState == CacheState::warm) {
    if (auto ran = device.launch(*loaded.executable, buffers); !ran)
      return ran;
    return rotation.restore(set);
  }
  if (!rotation.coversCache())
    if (auto flushed = device.flush(); !flushed)
      return flushed.error();
  return {};
}

Result<double, Failure> DeviceSampler::take(Loaded &loaded) {
  std::vector<BufferSet *> sets;
  std::vector<std::vector<DevicePointer>> launches(batchSize);
  for (std::vector<DevicePointer> &buffers : launches) {
    sets.push_back(&rotation.next());
    buffers.assign(sets.back()->pointers().begin(),
                   sets.back()->pointers().end());
    buffers.insert(buffers.end(), loaded.workspace.begin(),
                   loaded.workspace.end());
  }
  if (auto ready = prepareCache(loaded, launches.front(), *sets.front());
      !ready)
    return ready.error();
  auto seconds = device.time(*loaded.executable, launches);
  if (!seconds)
    return seconds;
  for (BufferSet *set : sets)
    if (auto restored = rotation.restore(*set); !restored)
      return restored.error();
  return *seconds / static_cast<double>(batchSize);
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
  auto set = BufferSet::place(device, buffers, workspace->start(), layout,
                              BufferSet::Redzones::bare);
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
