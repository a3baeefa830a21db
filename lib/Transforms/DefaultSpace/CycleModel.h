//===- Figures of the cycle models for default tiles ----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_DEFAULTSPACE_CYCLEMODEL_H
#define TONNO_LIB_TRANSFORMS_DEFAULTSPACE_CYCLEMODEL_H

#include "tonno/Core/GpuChip.h"

#include <cstdint>

namespace tonno {

/// Cycles from a load of device memory to its use.
inline constexpr double latency = 800;

inline int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Returns how many workgroups a compute unit holds; 0 if the chip cannot run
/// one.
int64_t countResident(const GpuChip &chip, int64_t subgroups, int64_t registers,
                      int64_t sharedBytes);

/// Work of one workgroup in a step over tiles in shared memory.
struct StepWork {
  double compute;        ///< cycles
  double stored, loaded; ///< bytes of shared memory
  double ahead;          ///< steps ahead of which tiles are on their way
};

/// Returns a lower bound on the cycles of a step: the largest of the
/// computation's, shared memory's and the second-level cache's, and of the
/// latency that the workgroups `together` on a compute unit don't hide.
double boundStep(const StepWork &work, double together);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_DEFAULTSPACE_CYCLEMODEL_H
