//===- LaneSums.cpp - Sums in the lanes of a vector -----------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Transforms/Schedule/LaneSums.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tonno;

bool tonno::canSumByLanes(linalg::LinalgOp op, unsigned loop) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.hasIndexSemantics() ||
      !linalg::isReductionIterator(op.getIteratorTypesArray()[loop]))
    return false;
  SmallVector<Operation *, 4> combiners;
  return matchReduction(op.getRegionOutputArgs(), 0, combiners) &&
         combiners.size() == 1 &&
         arith::getNeutralElement(combiners.front()).has_value();
}

FailureOr<linalg::LinalgOp> tonno::sumByLanes(RewriterBase &rewriter,
                                              linalg::LinalgOp op,
                                              unsigned loop, int64_t lanes) {
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
