//===- Sums over the threads of a row -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SCHEDULE_GPU_THREADREDUCTION_H
#define TONNO_LIB_SCHEDULE_GPU_THREADREDUCTION_H

#include "KernelLaunch.h"

namespace tonno {

/// Some threads of a workgroup that have one value each, to be combined.
struct ThreadRow {
  int64_t count = 1;      ///< threads of a row
  int64_t stride = 1;     ///< of their numbers
  mlir::Value position;   ///< of this thread in its row
  int64_t numThreads = 1; ///< of the workgroup
};

/// Every thread of the row gets all their values combined. Neighbours exchange
/// them by shuffles, subgroups through shared memory.
mlir::Value combineRow(KernelLaunch &kernel, const ThreadRow &row,
                       int64_t subgroupSize, mlir::Operation *combiner,
                       mlir::Value value);

} // namespace tonno

#endif // TONNO_LIB_SCHEDULE_GPU_THREADREDUCTION_H
