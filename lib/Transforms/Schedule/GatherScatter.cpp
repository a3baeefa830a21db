//===- Gathers and scatters as loops --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/GatherScatter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

/// The i-th of the indices at `batch`.
static Value indexAt(OpBuilder &builder, Location loc, Value indices,
                     ValueRange batch, int64_t i) {
  SmallVector<Value> position(batch);
  position.push_back(arith::ConstantIndexOp::create(builder, loc, i));
  Value index = tensor::ExtractOp::create(builder, loc, indices, position);
  if (index.getType().isIndex())
    return index;
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    index);
}

/// Where in the source an element of the result is: gathered dimensions as the
/// indices say, the others as in the result.
static SmallVector<Value> coordinates(tensor::GatherOp op, OpBuilder &builder) {
  Location loc = op.getLoc();
  unsigned batchRank = op.getIndicesType().getRank() - 1;
  unsigned sourceRank = op.getSourceType().getRank();
  bool isReduced = op.getResultType().getRank() < batchRank + sourceRank;
  auto loop = [&](unsigned i) -> Value {
    return linalg::IndexOp::create(builder, loc, i);
  };
  SmallVector<Value> batch, found(sourceRank);
  for (unsigned i = 0; i < batchRank; ++i)
    batch.push_back(loop(i));
  for (auto [i, dim] : llvm::enumerate(op.getGatherDims()))
    found[dim] = indexAt(builder, loc, op.getIndices(), batch, i);
  unsigned next = batchRank;
  for (Value &coordinate : found) {
    if (!coordinate)
      coordinate = loop(next++);
    else if (!isReduced)
      ++next; // a dimension of 1
  }
  return found;
}

LogicalResult tonno::lowerGather(RewriterBase &rewriter, tensor::GatherOp op) {
  RankedTensorType type = op.getResultType();
  if (!type.hasStaticShape())
    return failure();
  Location loc = op.getLoc();
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> parallel(type.getRank(),
                                            utils::IteratorType::parallel);
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      op, type, ValueRange(), empty, identity, parallel,
      [&](OpBuilder &builder, Location loc, ValueRange) {
        Value element = tensor::ExtractOp::create(builder, loc, op.getSource(),
                                                  coordinates(op, builder));
        linalg::YieldOp::create(builder, loc, element);
      });
  return success();
}

/// Where in the destination the slice begins that the indices at `batch` name.
static SmallVector<OpFoldResult>
offsetsOf(OpBuilder &builder, tensor::ScatterOp op, ValueRange batch) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> offsets(op.getDestType().getRank(),
                                    builder.getIndexAttr(0));
  for (auto [i, dim] : llvm::enumerate(op.getScatterDims()))
    offsets[dim] = indexAt(builder, loc, op.getIndices(), batch, i);
  return offsets;
}

/// `destination` with the slice that the indices at `batch` name.
static Value insertAt(OpBuilder &builder, tensor::ScatterOp op,
                      ValueRange batch, Value destination) {
  Location loc = op.getLoc();
  OpFoldResult one = builder.getIndexAttr(1);
  RankedTensorType type = op.getSourceType();
  SmallVector<OpFoldResult> from(batch.begin(), batch.end());
  from.resize(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> taken =
      tensor::getMixedSizes(builder, loc, op.getSource());
  std::fill_n(taken.begin(), batch.size(), one);
  auto sliceType = RankedTensorType::get(
      type.getShape().drop_front(batch.size()), type.getElementType());
  Value slice = tensor::ExtractSliceOp::create(
      builder, loc, sliceType, op.getSource(), from, taken,
      SmallVector<OpFoldResult>(from.size(), one));

  SmallVector<OpFoldResult> replaced =
      tensor::getMixedSizes(builder, loc, destination);
  for (int64_t dim : op.getScatterDims())
    replaced[dim] = one;
  return tensor::InsertSliceOp::create(
      builder, loc, slice, destination, offsetsOf(builder, op, batch), replaced,
      SmallVector<OpFoldResult>(replaced.size(), one));
}

static LogicalResult lowerScatter(tensor::ScatterOp op,
                                  PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  SmallVector<OpFoldResult> extents =
      tensor::getMixedSizes(rewriter, loc, op.getIndices());
  extents.pop_back();
  SmallVector<Value> begins(extents.size(), constant(0));
  SmallVector<Value> ends =
      getValueOrCreateConstantIndexOp(rewriter, loc, extents);
  SmallVector<Value> steps(extents.size(), constant(1));
  scf::LoopNest nest = scf::buildLoopNest(
      rewriter, loc, begins, ends, steps, op.getDest(),
      [&](OpBuilder &builder, Location, ValueRange batch, ValueRange carried) {
        return scf::ValueVector{insertAt(builder, op, batch, carried.front())};
      });
  rewriter.replaceOp(op, nest.results);
  return success();
}

void tonno::populateLowerScatterPatterns(RewritePatternSet &patterns) {
  patterns.add(lowerScatter);
}
