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
/// last-level cache. Their number is odd: two sides that take turns would
/// otherwise each see only half of the sets, and differ by their placement.
class BufferRotation {
public:
  static Result<BufferRotation, Failure> create(Device &device,
                                                const LaunchPlan &plan,
                                                const BufferContents &inputs,
                                                uint64_t layoutSeed);

  BufferSet &next() { return sets[position++ % sets.size()]; }

private:
  std::vector<BufferSet> sets;
  size_t position = 0;
};

/// Times a candidate and the baseline on the same rotated buffers.
class DeviceSampler : public Sampler {
public:
  static Result<DeviceSampler, Failure>
  create(Device &device, const Artifact &candidate, const Artifact &baseline,
         const BufferContents &inputs, uint64_t seed);

  Result<double, Failure> sample(Side side) override;
  Result<void, Failure> redraw() override;

private:
  DeviceSampler(Device &device, const Artifact &candidate,
                const Artifact &baseline, const BufferContents &inputs,
                uint64_t seed)
      : device(device), candidateArtifact(candidate),
        baselineArtifact(baseline), inputs(inputs), layoutSeed(seed) {}

  Device &device;
  const Artifact &candidateArtifact;
  const Artifact &baselineArtifact;
  const BufferContents &inputs;
  uint64_t layoutSeed;
  std::unique_ptr<Executable> candidate;
  std::unique_ptr<Executable> baseline;
  std::optional<BufferRotation> rotation;
};

} // namespace tonno

#endif // TONNO_RUNTIME_DEVICESAMPLER_H
