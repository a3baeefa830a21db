//===- How many workgroups a compute unit holds ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Occupancy.h"

#include <algorithm>

using namespace tonno;

static uint32_t ceilDiv(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

static uint32_t roundUp(uint32_t value, uint32_t multiple) {
  return ceilDiv(value, multiple) * multiple;
}

static uint32_t subgroupsOf(const GpuChip &chip, const WorkgroupNeeds &needs) {
  return ceilDiv(needs.threads, chip.subgroupSize);
}

/// Subgroups that the registers of one partition hold.
static uint32_t subgroupsByRegisters(const GpuChip &chip,
                                     const WorkgroupNeeds &needs) {
  uint32_t most = chip.maxSubgroups / chip.partitions;
  if (needs.registers > 0) {
    uint32_t perLane = chip.registers / chip.partitions / chip.subgroupSize;
    most = std::min(
        most, perLane / roundUp(needs.registers, chip.registerGranularity));
  }
  if (needs.scalarRegisters > 0 && chip.scalarRegisters > 0)
    most = std::min(most, chip.scalarRegisters / needs.scalarRegisters);
  return most;
}

static uint32_t workgroupsBySharedMemory(const GpuChip &chip,
                                         const WorkgroupNeeds &needs) {
  uint32_t allocated = roundUp(needs.sharedBytes + chip.reservedSharedBytes,
                               chip.sharedGranularity);
  return allocated == 0 ? chip.maxSubgroups : chip.sharedBytes / allocated;
}

uint32_t tonno::residentWorkgroups(const GpuChip &chip,
                                   const WorkgroupNeeds &needs) {
  if (needs.threads == 0 || needs.threads > chip.maxThreads ||
      needs.registers > chip.maxRegisters ||
      needs.sharedBytes > chip.maxSharedBytes)
    return 0;
  uint32_t subgroups = subgroupsOf(chip, needs);
  uint32_t most =
      subgroupsByRegisters(chip, needs) * chip.partitions / subgroups;
  most = std::min(most, workgroupsBySharedMemory(chip, needs));
  // AMD counts barriers, of which a single subgroup needs none.
  if (chip.vendor == GpuVendor::nvidia || subgroups > 1)
    most = std::min(most, chip.maxWorkgroups);
  return most;
}

double tonno::occupancy(const GpuChip &chip, const WorkgroupNeeds &needs) {
  return static_cast<double>(residentWorkgroups(chip, needs) *
                             subgroupsOf(chip, needs)) /
         chip.maxSubgroups;
}
