//===- Tensors that affine loops carry ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_AFFINELOOPS_H
#define TONNO_TRANSFORMS_SCHEDULE_AFFINELOOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// Where an affine.for or affine.if has tensors as results, makes loops of scf
/// of the kernel's: those alone are bufferised.
llvm::LogicalResult lowerAffineOfTensors(mlir::func::FuncOp kernel);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_AFFINELOOPS_H
