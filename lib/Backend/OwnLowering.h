//===- Kernels that bring their lowering ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_OWNLOWERING_H
#define TONNO_LIB_BACKEND_OWNLOWERING_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// Fails, with the reason, if the schedule or the pipeline that a kernel names
/// is not there. What it makes of the kernel, it will tell.
mlir::LogicalResult checkOwnLowering(mlir::func::FuncOp kernel);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_OWNLOWERING_H
