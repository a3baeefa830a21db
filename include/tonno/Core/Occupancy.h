//===- How many workgroups a compute unit holds ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_OCCUPANCY_H
#define TONNO_CORE_OCCUPANCY_H

#include "tonno/Core/GpuChip.h"

namespace tonno {

/// What one workgroup takes of a compute unit.
struct WorkgroupNeeds {
  uint32_t threads = 1;
  uint32_t registers = 0;       ///< of a thread
  uint32_t scalarRegisters = 0; ///< of a subgroup
  uint32_t sharedBytes = 0;     ///< static and dynamic
};

/// Workgroups that a compute unit holds at a time; 0: not even one, it can't be
/// launched. NVIDIA's driver can be told to give shared memory less than its
/// full share of the cache; here it has all.
uint32_t residentWorkgroups(const GpuChip &chip, const WorkgroupNeeds &needs);

/// The subgroups of these as a share of the most that the chip can hold.
double occupancy(const GpuChip &chip, const WorkgroupNeeds &needs);

} // namespace tonno

#endif // TONNO_CORE_OCCUPANCY_H
