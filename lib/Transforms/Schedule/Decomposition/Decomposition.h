//===- Linalg ops that tiling starts from ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_DECOMPOSITION_DECOMPOSITION_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_DECOMPOSITION_DECOMPOSITION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace tonno {

/// Returns true if the op stands for several linalg ops, as softmax, gather and
/// pack do.
bool isComposed(mlir::Operation *op);

/// Puts what a composed op stands for in its place. The linalg ops of that, in
/// order and without fills; none, with the op left, if it can't be taken apart.
llvm::SmallVector<mlir::linalg::LinalgOp>
takeApart(mlir::RewriterBase &rewriter, mlir::Operation *op);

/// Hands the configuration of a composed op on to its parts: to those that
/// reduce `reduction` and `subgroup`, to the others `workgroup`, to the last
/// `fuse`. If none reduces, all of them get both levels.
void configureParts(llvm::ArrayRef<mlir::linalg::LinalgOp> parts,
                    mlir::DictionaryAttr config);

/// The configuration that configureParts() would hand on as the parts have it;
/// of parts that get the same, the last is asked. Null if they have none.
mlir::DictionaryAttr
configurationOf(llvm::ArrayRef<mlir::linalg::LinalgOp> parts);

/// Runs `tonno-convert-to-linalg`; ops without a conversion stay.
mlir::LogicalResult convertToLinalg(mlir::func::FuncOp function);

/// Returns true if the host's schedule moves an op into its only user: it is
/// elementwise, without a configuration, and read once at the same place.
bool isPartOfUser(mlir::linalg::LinalgOp op);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_DECOMPOSITION_DECOMPOSITION_H
