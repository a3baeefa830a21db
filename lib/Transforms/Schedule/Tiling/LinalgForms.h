//===- Forms of linalg ops before and after tiling ------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_LINALGFORMS_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_LINALGFORMS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

#include <optional>

namespace tonno {

/// Returns a constant as many times as a slice has dimensions.
llvm::SmallVector<mlir::OpFoldResult> repeat(mlir::Builder &builder,
                                             int64_t number, size_t count);

/// Returns the constant that `linalg.fill` initialises a reduction with and
/// removes the fill until writeInitValue; null for other ops.
mlir::Value extractInitValue(mlir::RewriterBase &rewriter,
                             mlir::linalg::LinalgOp op);

/// Returns the tensor or buffer that a value is a view of; null if it is a
/// whole.
mlir::Value viewSource(mlir::Value value);

/// Replaces a tensor that an op has as an init, and never reads, with a fresh
/// `tensor.empty`.
void replaceInitWithEmpty(mlir::RewriterBase &rewriter, mlir::OpOperand &init);

/// Fills the init of `op` with `start`, if that is not null.
void writeInitValue(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op,
                    mlir::Value start);

/// Returns the tile sizes of the parallel loops outside of the first tiled
/// reduction loop, in this order, or in the op's if `order` is empty; all
/// others are 0. Returns nothing if no tiled loop is a reduction.
std::optional<llvm::SmallVector<int64_t>>
tilesOutsideReductions(mlir::linalg::LinalgOp op, llvm::ArrayRef<int64_t> tiles,
                       llvm::ArrayRef<int64_t> order);

/// Drops inputs of elementwise ops that are written over element by element, as
/// in `a += b`: the output has what earlier tiles left, but the input would be
/// a copy. Fails where an op can't be made a `linalg.generic`.
mlir::LogicalResult readThroughOutputs(mlir::RewriterBase &rewriter,
                                       mlir::Operation *root);

/// Splits a loop of the op at `extent`; returns the op with the first
/// iterations and the op with the others.
std::pair<mlir::linalg::LinalgOp, mlir::linalg::LinalgOp>
splitLoop(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op,
          unsigned loop, int64_t extent);

/// Makes the op generic, with its discardable attributes, if upstream can.
mlir::FailureOr<mlir::linalg::GenericOp>
makeGeneric(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

/// Drops the unit dimensions that a reduction keeps in its results: (i, k) ->
/// (i, 0) becomes (i, k) -> (i). Upstream decomposes no other form.
mlir::FailureOr<mlir::linalg::LinalgOp>
dropUnitResults(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

/// Drops unit loops that prevent vectors: of products all reductions but the
/// last, of other reductions that can't be split all.
mlir::LogicalResult dropSteps(mlir::RewriterBase &rewriter,
                              mlir::linalg::LinalgOp op);

/// Returns true if each result of the map is a different loop, or 0.
bool isProjectedPermutationMap(mlir::AffineMap map);

/// A loop, and by how much its steps move.
struct LoopStep {
  unsigned loop;
  int64_t stride;
};

/// Returns the loops and their factors if the index is a sum of loops times
/// positive constants.
std::optional<llvm::SmallVector<LoopStep>>
findLoopSteps(mlir::AffineExpr index);

/// Returns true if an input has sliding-window access, as in a convolution:
/// each index is a loop or a sum of loops times positive constants.
bool hasSlidingWindows(mlir::linalg::LinalgOp op);

/// Returns true if the loop moves a sliding window.
bool movesSlidingWindow(mlir::linalg::LinalgOp op, unsigned loop);

/// Returns true if the op computes elements of tensors one by one.
bool isPerElement(mlir::linalg::LinalgOp op);

/// Returns true if the op only converts elements to wider ones.
bool isWidening(mlir::linalg::LinalgOp op);

/// Returns the parallel loops in the order of the result, the loop along its
/// rows last: convolutions with channels before pixels have other innermost
/// loops.
llvm::SmallVector<unsigned> getLoopsInResultOrder(mlir::linalg::LinalgOp op);

/// Returns the loops of the result in its order, then the sliding-window loops.
llvm::SmallVector<unsigned> computeResultLoopOrder(mlir::linalg::LinalgOp op);

/// Turns an op with sliding windows into a plain one if its window loops have
/// one iteration: slices the inputs by the windows' strides and drops unit
/// loops.
mlir::LogicalResult flattenUnitWindows(mlir::RewriterBase &rewriter,
                                       mlir::linalg::LinalgOp op);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_LINALGFORMS_H
