//===- Sums in the lanes of a vector --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/LaneSums.h"
#include "tonno/Dialect/LoopRoles.h"
#include "tonno/Transforms/Schedule/UnitLoops.h"

#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tonno;

bool tonno::canSumByLanes(linalg::LinalgOp op, unsigned loop) {
  return op.hasPureTensorSemantics() && !op.hasIndexSemantics() &&
         linalg::isReductionIterator(op.getIteratorTypesArray()[loop]) &&
         combinesAll(op);
}

FailureOr<linalg::LinalgOp> tonno::sumByLanes(RewriterBase &rewriter,
                                              linalg::LinalgOp summed,
                                              unsigned loop, int64_t lanes) {
  auto plain = dropUnitResults(rewriter, summed);
  if (failed(plain))
    return failure();
  linalg::LinalgOp op = *plain;
  SmallVector<int64_t> tiles(op.getNumLoops(), 0);
  tiles[loop] = lanes;
  scf::SCFTilingOptions options;
  options.setTileSizes(getAsIndexOpFoldResult(rewriter.getContext(), tiles));
  options.setReductionTilingStrategy(
      ReductionTilingStrategy::PartialReductionOuterReduction);
  options.setReductionDims(loop);
  rewriter.setInsertionPoint(op);
  auto tiled = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(op.getOperation()), options);
  if (failed(tiled))
    return op.emitOpError() << "can't be summed up by lanes";
  rewriter.replaceOp(op, tiled->replacements);
  return cast<linalg::LinalgOp>(tiled->tiledOps.front());
}
