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

/// Enough to leave a cache of half as much again, within these bounds.
static constexpr double cacheShare = 1.5;
static constexpr uint64_t maxSets = 255;
static constexpr uint64_t maxBytes = 512u << 20;

static uint64_t countSets(uint64_t setBytes, uint64_t cacheBytes) {
  auto wanted = static_cast<uint64_t>(
      cacheShare * static_cast<double>(cacheBytes) /
      static_cast<double>(std::max<uint64_t>(setBytes, 1)));
  uint64_t affordable = maxBytes / std::max<uint64_t>(setBytes, 1);
  uint64_t sets =
      std::clamp<uint64_t>(std::min(wanted, affordable), 2, maxSets);
  return sets | 1;
}

Result<BufferRotation, Failure> BufferRotation::create(Device &device,
                                                       const LaunchPlan &plan,
                                                       BufferContents inputs,
                                                       uint64_t seed) {
  BufferRotation rotation(device, plan, std::move(inputs), seed);
  size_t setBytes = BufferSet::bytesFor(plan);
  uint64_t count = countSets(setBytes, device.description().cacheBytes);
  for (uint64_t i = 0; i < 2 * count; ++i) {
    auto block = DeviceBlock::allocate(device, setBytes);
    if (!block)
      return block.error();
    rotation.blocks.push_back(std::move(*block));
  }
  if (auto drawn = rotation.redraw(); !drawn)
    return drawn.error();
  return rotation;
}

Result<void, Failure> BufferRotation::redraw() {
  sets.clear();
  size_t count = blocks.size() / 2;
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), size_t(0));
  for (size_t i = 0; i < count; ++i) {
    std::swap(order[i], order[i + generator() % (order.size() - i)]);
    auto set =
        BufferSet::place(*device, plan, blocks[order[i]].get(), generator);
    if (!set)
      return set.error();
    if (auto filled = set->fill(inputs); !filled)
      return filled;
    sets.push_back(std::move(*set));
  }
  return {};
}

Result<DeviceSampler, Failure> DeviceSampler::create(Device &device,
                                                     BufferRotation &rotation,
                                                     const Artifact &candidate,
                                                     const Artifact &baseline) {
  DeviceSampler sampler(device, rotation, candidate, baseline);
  if (auto loaded = sampler.load(); !loaded)
    return loaded.error();
  return sampler;
}

Result<double, Failure> DeviceSampler::sample(Side side) {
  Executable &executable = side == Side::candidate ? *candidate : *baseline;
  return device.launch(executable, rotation.next().pointers());
}

Result<void, Failure> DeviceSampler::load() {
  candidate.reset();
  baseline.reset();
  auto loadedCandidate = device.load(candidateArtifact);
  if (!loadedCandidate)
    return loadedCandidate.error();
  auto loadedBaseline = device.load(baselineArtifact);
  if (!loadedBaseline)
    return loadedBaseline.error();
  candidate = std::move(*loadedCandidate);
  baseline = std::move(*loadedBaseline);
  return {};
}

Result<void, Failure> DeviceSampler::redraw() {
  if (auto drawn = rotation.redraw(); !drawn)
    return drawn;
  return load();
}
