//===- Epilogues of launches ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_EPILOGUE_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_EPILOGUE_H

#include "Schedule/GPU/LaunchGroups.h"
#include "Schedule/GPU/ThreadCode.h"

namespace tonno {

/// Emits the ops that follow the group's first, on its results at some points,
/// and all stores.
void emitEpilogue(ThreadCode &code, const LaunchGroup &group,
                  mlir::ValueRange firstResults, const Points &points);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_EPILOGUE_H
