//===- DeviceSampler.h - Samples of two executables on a device -*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_RUNTIME_DEVICESAMPLER_H
#define TONNO_RUNTIME_DEVICESAMPLER_H

#include "tonno/Runtime/BufferSet.h"
#include "tonno/Runtime/Protocol.h"

namespace tonno {

/// Buffer sets that are rotated, so that each sample finds its data out of the
/// last-level cache. All candidates of a session share them. Their number is
/// odd: two sides that take turns would otherwise each see only half of the
/// sets, and differ by their placement.
class BufferRotation {
public:
  static Result<BufferRotation, Failure> create(Device &device,
                                                const LaunchPlan &plan,
                                                BufferContents inputs,
                                                uint64_t seed);

  BufferSet &next() { return sets[position++ % sets.size()]; }

  /// Places every set anew: in other memory, at other offsets.
  Result<void, Failure> redraw();

private:
  BufferRotation(Device &device, const LaunchPlan &plan, BufferContents inputs,
                 uint64_t seed)
      : device(&device), plan(plan), inputs(std::move(inputs)),
        generator(seed) {}

  Device *device;
  LaunchPlan plan;
  BufferContents inputs;
  std::mt19937_64 generator;
  /// Twice as many as sets, so that a redraw finds other pages without asking
  /// the system for new ones, which costs more than the samples.
  std::vector<DeviceBlock> blocks;
  std::vector<BufferSet> sets;
  size_t position = 0;
};

/// Times a candidate and the baseline on the same rotated buffers.
class DeviceSampler : public Sampler {
public:
  static Result<DeviceSampler, Failure> create(Device &device,
                                               BufferRotation &rotation,
                                               const Artifact &candidate,
                                               const Artifact &baseline);

  Result<double, Failure> sample(Side side) override;
  Result<void, Failure> redraw() override;

private:
  DeviceSampler(Device &device, BufferRotation &rotation,
                const Artifact &candidate, const Artifact &baseline)
      : device(device), rotation(rotation), candidateArtifact(candidate),
        baselineArtifact(baseline) {}

  Result<void, Failure> load();

  Device &device;
  BufferRotation &rotation;
  const Artifact &candidateArtifact;
  const Artifact &baselineArtifact;
  std::unique_ptr<Executable> candidate;
  std::unique_ptr<Executable> baseline;
};

} // namespace tonno

#endif // TONNO_RUNTIME_DEVICESAMPLER_H
