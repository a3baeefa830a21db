//===- Roles of a linalg op's loops ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_DIALECT_LOOPROLES_H
#define TONNO_DIALECT_LOOPROLES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace tonno {

// Analyses of linalg ops that schedules use, on tensors and on buffers. Default
// spaces use them too, since they must predict the lowering.

/// Returns the loop that indexes the contiguous dimension of an operand, if
/// any.
std::optional<unsigned> rowLoop(mlir::AffineMap map);

/// Returns the op of a reduction that combines two values, if it is associative
/// and has a neutral element; null otherwise.
mlir::Operation *findCombiner(mlir::linalg::LinalgOp op);

/// Returns true if each result can be summed up in parts, as by findCombiner.
bool canCombineAllResults(mlir::linalg::LinalgOp op);

/// Returns true if the op rounds an intermediate value to a type of up to 8
/// bits: the result is not just stored to a kernel's result or argument.
bool isIntermediateRounding(mlir::arith::TruncFOp op);

/// Returns true if the op sums up products in f16, bf16 or less, which
/// schedules do in f32.
bool sumsNarrowProducts(mlir::linalg::LinalgOp op);

/// Returns true if the payload reads elements of `operand`. Upstream's query
/// returns false for every output of linalg.map.
bool readsElements(mlir::linalg::LinalgOp op, mlir::OpOperand &operand);

/// Returns true if the payload is arithmetic on scalars, and so on vectors too;
/// `allowsIndices`: also if it reads the loops' indices.
bool hasScalarPayload(mlir::linalg::LinalgOp op, bool allowsIndices = false);

/// Returns true if each point of the op's iteration space has an element of
/// each operand, and each parallel loop indexes every output.
bool hasProjectedMaps(mlir::linalg::LinalgOp op);

/// The innermost loops of a matrix product over rows and columns of the result
/// and over the reduction.
struct ProductLoops {
  unsigned m, n, k;
};

/// Returns the loops of a matrix product with several rows and columns; nothing
/// for other ops.
std::optional<ProductLoops> productLoops(mlir::linalg::LinalgOp op);

/// Returns true for a contraction whose operands pay to be in shared memory.
bool isSharedContraction(mlir::linalg::LinalgOp op);

/// Returns the op's reduction loop, or none if it has none; fails if there are
/// several, or if results depend on it.
mlir::FailureOr<std::optional<unsigned>>
findReductionLoop(mlir::linalg::LinalgOp op);

/// The loops of a contraction that tiles are of. `lhs` has the rows of the
/// result, `rhs` its columns, contiguous if any are; `depth` is summed up.
struct ContractionLoops {
  unsigned rows, columns, depth;
  mlir::OpOperand *lhs, *rhs;
  /// All loops over rows of the result, and over columns, in the order of the
  /// result's dimensions.
  llvm::SmallVector<unsigned> allRows, allColumns;
};

/// Fails if the op is no contraction.
mlir::FailureOr<ContractionLoops>
findContractionLoops(mlir::linalg::LinalgOp op);

/// The elements of one operand that an op accesses at each point of its
/// iteration space.
struct SpaceAccess {
  mlir::AffineMap map; ///< from the space
  mlir::ShapedType type;
  bool isOutput;
};

/// Returns the dimension of the iteration space along which most memory is
/// contiguous: in the stored operand, or, for sums along rows, in the loaded
/// one.
unsigned findContiguousDim(llvm::ArrayRef<int64_t> extents,
                           llvm::ArrayRef<SpaceAccess> accesses);

} // namespace tonno

#endif // TONNO_DIALECT_LOOPROLES_H
