//===- Other dialects' tensors as linalg ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_CONVERTTOLINALG_H
#define TONNO_TRANSFORMS_SCHEDULE_CONVERTTOLINALG_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// Converts what computes tensors outside of linalg: see
/// `tonno-convert-to-linalg`. Ops that upstream's conversions leave stay.
mlir::LogicalResult convertToLinalg(mlir::func::FuncOp function);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_CONVERTTOLINALG_H
