//===- Packing of constant arguments --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_PACKCONSTANTS_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_PACKCONSTANTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace tonno {

/// Returns true for a constant argument of the kernel, or a part of one.
bool isPartOfConstant(mlir::Value tensor);

/// Replaces each `linalg.pack` of a block of a constant argument by a block of
/// the packed argument, which is packed once, at the function's start. Leaves
/// those whose blocks do not consist of whole panels of the argument, or whose
/// elements are converted:
///
///   %block = tensor.extract_slice %w[%k, %n] [32, 64] [1, 1]
///   %panels = linalg.pack %block ... -> tensor<4x32x16xf32>
///
/// becomes, with n / 16,
///
///   %all = linalg.pack %w ... -> tensor<?x?x16xf32>
///   %panels = tensor.extract_slice %all[%panel, %k, 0] [4, 32, 16] [1, 1, 1]
void packConstants(mlir::RewriterBase &rewriter, mlir::func::FuncOp function);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_PACKCONSTANTS_H
