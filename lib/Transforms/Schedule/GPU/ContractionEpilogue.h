//===- Epilogues of contractions ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_CONTRACTIONEPILOGUE_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_CONTRACTIONEPILOGUE_H

#include "Schedule/GPU/LaunchGroups.h"
#include "Schedule/GPU/ThreadCode.h"

namespace tonno {

/// Emits the ops that follow the group's contraction, on the contraction's sums
/// at some points, and all stores.
void emitEpilogue(ThreadCode &code, const LaunchGroup &group, mlir::Value sums,
                  const Points &points);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_CONTRACTIONEPILOGUE_H
