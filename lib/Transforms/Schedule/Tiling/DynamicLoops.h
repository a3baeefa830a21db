//===- Loops whose extents are known at run time --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_DYNAMICLOOPS_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_DYNAMICLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"

namespace tonno {

/// Returns the tile size for a remainder of at most `bound` iterations. Each
/// piece of code for a remainder takes time to compile: with two dynamic loops,
/// halves took 15 s where quarters take 3.
int64_t fitTileToBound(int64_t bound);

/// Splits a dynamic loop of the op, which has `extent` iterations, behind the
/// last whole tile; returns the op with the tiles and that with the remainder.
std::pair<mlir::linalg::LinalgOp, mlir::linalg::LinalgOp>
splitDynamicLoop(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op,
                 unsigned loop, mlir::OpFoldResult extent, int64_t tile);

/// Returns true if the op has one dynamic loop.
bool hasOneDynamicLoop(mlir::linalg::LinalgOp op);

/// Replaces the op, whose dynamic loop has a bound, by a branch for each number
/// of iterations:
///
///   %r = scf.index_switch %extent
///   case 1 { linalg.matmul ... tensor<1x16xf32> }
///   case 2 { linalg.matmul ... tensor<2x16xf32> }
///   default { scf.yield %init }
///
/// Returns the ops in the branches.
llvm::SmallVector<mlir::linalg::LinalgOp>
branchByExtent(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op,
               unsigned loop);

/// Creates `scf.for` loops over tiles that divide the loops. Upstream's own
/// loops over dynamic extents have tiles of dynamic sizes.
void setExactLoops(mlir::scf::SCFTilingOptions &options);

/// Creates one `scf.forall` of as many iterations as `threads`, each of which
/// has about the same number of whole tiles of the one tiled loop; the last
/// part may end with the loop's remainder.
void setSharedParts(mlir::scf::SCFTilingOptions &options, int64_t threads);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_DYNAMICLOOPS_H
