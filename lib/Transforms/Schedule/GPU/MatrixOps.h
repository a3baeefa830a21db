//===- Matrix instructions in MLIR ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_MATRIXOPS_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_MATRIXOPS_H

#include "tonno/Core/MatrixInstruction.h"
#include "Schedule/GPU/ThreadCode.h"

namespace tonno {

/// Returns the instructions of the chip that compute this contraction: it adds
/// products of two extended factors of one type to sums of a wider one. Empty
/// if there are none.
std::span<const MatrixInstruction>
findMatrixInstructions(mlir::linalg::LinalgOp op, const GpuChip &chip);

/// Returns a * b + sums for one subgroup; each is a lane's fragment.
mlir::Value emitMatrixOp(ThreadCode &code, const MatrixInstruction &instruction,
                         mlir::Value a, mlir::Value b, mlir::Value sums);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_MATRIXOPS_H
