//===- Loops as long as vectors -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/PadLoop.h"
#include "tonno/Transforms/Schedule/Windows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tonno;

static SmallVector<OpFoldResult> zeros(Builder &builder, size_t count) {
  return SmallVector<OpFoldResult>(count, builder.getIndexAttr(0));
}

static SmallVector<OpFoldResult> ones(Builder &builder, size_t count) {
  return SmallVector<OpFoldResult>(count, builder.getIndexAttr(1));
}

/// A copy of `value` whose dimension is so much longer.
static Value lengthen(RewriterBase &rewriter, Location loc, Value value,
                      unsigned dimension, int64_t extent) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dimension] = extent;
  Value zero = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, shape, type.getElementType());
  Value filled =
      linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
  size_t rank = shape.size();
  return tensor::InsertSliceOp::create(
      rewriter, loc, value, filled, zeros(rewriter, rank),
      getAsIndexOpFoldResult(rewriter.getContext(), type.getShape()),
      ones(rewriter, rank));
}

FailureOr<linalg::LinalgOp> tonno::padLoop(RewriterBase &rewriter,
                                           linalg::LinalgOp op, unsigned loop,
                                           int64_t extent) {
  // Whatever is added, multiplied or compared with zeros is harmless; what
  // divides by them may trap.
  if (!op.hasPureTensorSemantics() || !linalg::isaContractionOpInterface(op) ||
      !llvm::all_of(op.getIndexingMapsArray(), isPlain))
    return failure();
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    auto index = op.getMatchingIndexingMap(&operand).getResultPosition(
        rewriter.getAffineDimExpr(loop));
    operands.push_back(
        index ? lengthen(rewriter, loc, operand.get(), *index, extent)
              : operand.get());
  }
  SmallVector<Type> types(
      ValueRange(operands).take_back(op.getNumDpsInits()).getTypes());
  auto padded =
      cast<linalg::LinalgOp>(mlir::clone(rewriter, op, types, operands));
  SmallVector<Value> results;
  for (auto [result, type] :
       llvm::zip_equal(padded->getResults(), op->getResultTypes())) {
    auto whole = cast<RankedTensorType>(type);
    size_t rank = whole.getRank();
    results.push_back(tensor::ExtractSliceOp::create(
        rewriter, loc, whole, result, zeros(rewriter, rank),
        getAsIndexOpFoldResult(rewriter.getContext(), whole.getShape()),
        ones(rewriter, rank)));
  }
  rewriter.replaceOp(op, results);
  return padded;
}
