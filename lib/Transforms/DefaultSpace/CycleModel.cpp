//===- Figures of the cycle models for default tiles ----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DefaultSpace/CycleModel.h"
#include "tonno/Core/Occupancy.h"

#include <algorithm>

using namespace tonno;

/// Bytes per cycle of a compute unit, of both vendors.
static constexpr double sharedBandwidth = 128, cacheBandwidth = 64;

/// Cycles of a step that nothing hides: barriers, and the loop.
static constexpr double overhead = 40;

int64_t tonno::countResident(const GpuChip &chip, int64_t subgroups,
                             int64_t registers, int64_t sharedBytes) {
  WorkgroupNeeds needs = {
      .threads = static_cast<uint32_t>(subgroups * chip.subgroupSize),
      .registers = static_cast<uint32_t>(registers),
      .sharedBytes = static_cast<uint32_t>(sharedBytes)};
  if (needs.threads > chip.maxThreads ||
      needs.sharedBytes > chip.maxSharedBytes)
    return 0;
  return residentWorkgroups(chip, needs);
}

double tonno::boundStep(const StepWork &work, double together) {
  return std::max({work.compute, (work.stored + work.loaded) / sharedBandwidth,
                   work.stored / cacheBandwidth,
                   latency / (together * work.ahead)}) +
         overhead / together;
}
