//===- DeviceSampler.cpp - Samples of two executables on a device ---------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/DeviceSampler.h"

#include <algorithm>

using namespace tonno;

/// Enough to leave a cache of half as much again, within these bounds.
static constexpr double cacheShare = 1.5;
static constexpr uint64_t maxSets = 255;
static constexpr uint64_t maxBytes = 1u << 30;

static uint64_t countSets(uint64_t setBytes, uint64_t cacheBytes) {
  auto wanted = static_cast<uint64_t>(
      cacheShare * static_cast<double>(cacheBytes) /
      static_cast<double>(std::max<uint64_t>(setBytes, 1)));
  uint64_t affordable = maxBytes / std::max<uint64_t>(setBytes, 1);
  uint64_t sets = std::clamp<uint64_t>(std::min(wanted, affordable), 2, maxSets);
  return sets | 1;
}

Result<BufferRotation, Failure>
BufferRotation::create(Device &device, const LaunchPlan &plan,
                       const BufferContents &inputs, uint64_t layoutSeed) {
  uint64_t setBytes = 0;
  for (const BufferSpec &buffer : plan.buffers)
    setBytes += buffer.bytes();
  BufferRotation rotation;
  uint64_t count = countSets(setBytes, device.description().cacheBytes);
  for (uint64_t i = 0; i < count; ++i) {
    auto set = BufferSet::create(device, plan, layoutSeed * count + i);
    if (!set)
      return set.error();
    if (auto filled = set->fill(inputs); !filled)
      return filled.error();
    rotation.sets.push_back(std::move(*set));
  }
  return rotation;
}

Result<DeviceSampler, Failure>
DeviceSampler::create(Device &device, const Artifact &candidate,
                      const Artifact &baseline, const BufferContents &inputs,
                      uint64_t seed) {
  DeviceSampler sampler(device, candidate, baseline, inputs, seed);
  if (auto drawn = sampler.redraw(); !drawn)
    return drawn.error();
  return sampler;
}

Result<double, Failure> DeviceSampler::sample(Side side) {
  Executable &executable = side == Side::candidate ? *candidate : *baseline;
  return device.launch(executable, rotation->next().pointers());
}

Result<void, Failure> DeviceSampler::redraw() {
  candidate.reset();
  baseline.reset();
  rotation.reset();
  auto buffers = BufferRotation::create(device, candidateArtifact.plan, inputs,
                                        layoutSeed++);
  if (!buffers)
    return buffers.error();
  auto loadedCandidate = device.load(candidateArtifact);
  if (!loadedCandidate)
    return loadedCandidate.error();
  auto loadedBaseline = device.load(baselineArtifact);
  if (!loadedBaseline)
    return loadedBaseline.error();
  rotation.emplace(std::move(*buffers));
  candidate = std::move(*loadedCandidate);
  baseline = std::move(*loadedBaseline);
  return {};
}
