//===- Decomposition to linalg ops that can be tiled ----------------------===//
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

/// Decomposes a composed op into linalg ops. Returns them in order, without
/// fills; empty, with the op unchanged, if the op can't be decomposed. A
/// softmax becomes that of `decomposeSoftmax` if `usesReciprocals`.
llvm::SmallVector<mlir::linalg::LinalgOp>
decomposeToLinalg(mlir::RewriterBase &rewriter, mlir::Operation *op,
                  bool usesReciprocals = false);

/// Returns the result of a softmax on tensors with few instructions: 16-bit
/// types are computed in f32 and rounded once, and the division may become a
/// product with a reciprocal.
mlir::Value decomposeSoftmax(mlir::RewriterBase &rewriter,
                             mlir::linalg::SoftmaxOp op);

/// Distributes the configuration of a composed op: `reduction` and `subgroup`
/// to the parts that reduce, `workgroup` to all others, `fuse` to the last. If
/// no part reduces, each gets both levels.
void configureParts(llvm::ArrayRef<mlir::linalg::LinalgOp> parts,
                    mlir::DictionaryAttr config);

/// Reassembles the configuration that configureParts() would have distributed;
/// among parts with equal keys, the last one decides. Null if the parts have
/// none.
mlir::DictionaryAttr
mergePartConfigs(llvm::ArrayRef<mlir::linalg::LinalgOp> parts);

/// Runs `tonno-convert-to-linalg`; ops without a conversion stay.
mlir::LogicalResult convertToLinalg(mlir::func::FuncOp function);

/// Returns true if the host's schedule moves an op into its users: the op is
/// elementwise, without a configuration, and read at the same indices, either
/// once or everywhere if it copies a constant to all elements.
bool isFusedIntoUser(mlir::linalg::LinalgOp op);

/// Clones an op with several uses for each of them but one.
void cloneForEachUse(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

/// Makes `op` a part of its only user, which keeps its attributes.
mlir::LogicalResult fuseIntoUser(mlir::RewriterBase &rewriter,
                                 mlir::linalg::LinalgOp op);

/// Lets elementwise ops on tensors whose dimensions of extent 1 stand for
/// reduced ones, and what reads them, do without these dimensions. Returns true
/// if an op changed.
bool dropKeptDims(mlir::func::FuncOp function);

/// Runs `tonno-fuse-moves`.
mlir::LogicalResult fuseMoves(mlir::func::FuncOp function);

/// Runs `tonno-gather-epilogues`.
void gatherEpilogues(mlir::func::FuncOp function);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_DECOMPOSITION_DECOMPOSITION_H
