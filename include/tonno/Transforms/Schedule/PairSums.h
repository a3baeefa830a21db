//===- Products summed up in pairs ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_PAIRSUMS_H
#define TONNO_TRANSFORMS_SCHEDULE_PAIRSUMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// Lowers products of which two steps lie side by side, as `pack` has them, to
/// what processors multiply and add in pairs: of integers of up to 16 bits to
/// the form that LLVM has such instructions for, of bf16, where `dotsBf16`, to
/// AVX-512's `vdpbf16ps`, which takes denormals for zeros. Others stay.
/// Whole vectors of pairs are read and written at once.
mlir::LogicalResult lowerPairSums(mlir::func::FuncOp function, bool dotsBf16);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_PAIRSUMS_H
