//===- What reductions start from -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/Starts.h"
#include "tonno/Transforms/Schedule/Windows.h"

#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tonno;

Value tonno::takeStart(RewriterBase &rewriter, linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics())
    return nullptr;
  OpOperand &init = *op.getDpsInitOperand(0);
  auto fill = init.get().getDefiningOp<linalg::FillOp>();
  if (!fill)
    return nullptr;
  Value start = fill.value();
  rewriter.modifyOpInPlace(op, [&] { init.set(fill.output()); });
  if (fill->use_empty())
    rewriter.eraseOp(fill);
  return start;
}

void tonno::forgetInit(RewriterBase &rewriter, linalg::LinalgOp op) {
  OpOperand &init = *op.getDpsInitOperand(0);
  auto type = cast<RankedTensorType>(init.get().getType());
  rewriter.setInsertionPoint(op);
  Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), type.getShape(),
                                        type.getElementType());
  rewriter.modifyOpInPlace(op, [&] { init.set(empty); });
}

/// Whether loops of one step are dropped before the op becomes vectors.
static bool isFlattened(linalg::LinalgOp op) {
  return hasWindows(op) || op.getNumReductionLoops() > 1;
}

/// Without the dimensions of one element, as such an op has it in the end: the
/// vector that is written is then the one that is read.
static Value fillSlice(RewriterBase &rewriter, Location loc, Value start,
                       Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  llvm::erase(shape, 1);
  Value slice = tensor::createCanonicalRankReducingExtractSliceOp(
      rewriter, loc, tensor, type.clone(shape));
  auto fill = linalg::FillOp::create(rewriter, loc, start, slice);
  return tensor::createCanonicalRankReducingInsertSliceOp(
      rewriter, loc, fill.getResult(0), tensor);
}

void tonno::writeStart(RewriterBase &rewriter, linalg::LinalgOp op,
                       Value start) {
  if (!start)
    return;
  OpOperand &init = *op.getDpsInitOperand(0);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value filled = isFlattened(op)
                     ? fillSlice(rewriter, loc, start, init.get())
                     : linalg::FillOp::create(rewriter, loc, start, init.get())
                           .getResult(0);
  rewriter.modifyOpInPlace(op, [&] { init.set(filled); });
}

std::optional<SmallVector<int64_t>>
tonno::tilesOutsideReductions(linalg::LinalgOp op, ArrayRef<int64_t> tiles,
                              ArrayRef<int64_t> order) {
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  SmallVector<int64_t> outside(tiles.size(), 0);
  for (size_t i = 0; i < tiles.size(); ++i) {
    size_t loop = order.empty() ? i : static_cast<size_t>(order[i]);
    if (tiles[loop] != 0 && linalg::isReductionIterator(kinds[loop]))
      return outside;
    outside[loop] = tiles[loop];
  }
  return std::nullopt;
}
