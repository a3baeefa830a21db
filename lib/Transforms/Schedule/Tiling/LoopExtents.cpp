//===- Extents of the loops of linalg ops ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/Tiling/LoopExtents.h"
#include "tonno/Dialect/Walks.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace tonno;

/// Returns a value of the same shape that was created before; null if there is
/// none.
static Value findShapeSource(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop =
        dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
    return init ? init->get() : Value();
  }
  Operation *op = value.getDefiningOp();
  auto result = cast<OpResult>(value);
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    OpOperand *init = loop.getTiedLoopInit(result);
    return init ? init->get() : Value();
  }
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    return destination.getTiedOpOperand(result)->get();
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return insert.getDest();
  if (isa<tensor::CastOp, memref::CastOp, bufferization::ToTensorOp,
          bufferization::ToBufferOp>(op))
    return op->getOperand(0);
  return Value();
}

/// Returns the sizes that the op creating the value was given; empty if it
/// has none, or drops dimensions.
static SmallVector<OpFoldResult> getGivenSizes(Value value) {
  Operation *op = value.getDefiningOp();
  SmallVector<OpFoldResult> sizes;
  if (auto view = dyn_cast_if_present<OffsetSizeAndStrideOpInterface>(op);
      view && !isa<tensor::InsertSliceOp>(op))
    sizes = view.getMixedSizes();
  else if (auto empty = dyn_cast_if_present<tensor::EmptyOp>(op))
    sizes = empty.getMixedSizes();
  else if (auto memory = dyn_cast_if_present<memref::AllocOp>(op))
    sizes = memory.getMixedSizes();
  else if (auto expanded = dyn_cast_if_present<memref::ExpandShapeOp>(op))
    sizes = expanded.getMixedOutputShape();
  auto rank = static_cast<size_t>(cast<ShapedType>(value.getType()).getRank());
  return sizes.size() == rank ? sizes : SmallVector<OpFoldResult>();
}

std::optional<OpFoldResult> tonno::findSize(Builder &builder, Value value,
                                            int64_t axis) {
  for (Value source = value; source; source = findShapeSource(source)) {
    auto type = cast<ShapedType>(source.getType());
    if (!type.isDynamicDim(axis))
      return builder.getIndexAttr(type.getDimSize(axis));
    if (auto sizes = getGivenSizes(source); !sizes.empty())
      return sizes[axis];
  }
  return std::nullopt;
}

OpFoldResult tonno::createSize(OpBuilder &builder, Location loc, Value value,
                               int64_t axis) {
  if (auto size = findSize(builder, value, axis))
    return *size;
  return isa<MemRefType>(value.getType())
             ? memref::getMixedSize(builder, loc, value, axis)
             : tensor::getMixedSize(builder, loc, value, axis);
}

SmallVector<OpFoldResult> tonno::createSizes(OpBuilder &builder, Location loc,
                                             Value value) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t axis = 0, rank = cast<ShapedType>(value.getType()).getRank();
       axis < rank; ++axis)
    sizes.push_back(createSize(builder, loc, value, axis));
  return sizes;
}

void tonno::resolveSizes(RewriterBase &rewriter, Operation *root) {
  for (auto size : collectOps<ShapedDimOpInterface>(root)) {
    auto axis = getConstantIntValue(size.getDimension());
    auto found =
        axis ? findSize(rewriter, size.getShapedValue(), *axis) : std::nullopt;
    if (!found)
      continue;
    rewriter.setInsertionPoint(size);
    rewriter.replaceOp(
        size, getValueOrCreateConstantIndexOp(rewriter, size.getLoc(), *found));
  }
}

/// Returns the operands with an axis that the loop goes along, and the axes.
static SmallVector<std::pair<Value, unsigned>>
findAxesOfLoop(linalg::LinalgOp op, size_t loop) {
  AffineExpr index = getAffineDimExpr(loop, op.getContext());
  SmallVector<std::pair<Value, unsigned>> axes;
  for (OpOperand &operand : op->getOpOperands())
    if (auto axis =
            op.getMatchingIndexingMap(&operand).getResultPosition(index))
      axes.emplace_back(operand.get(), *axis);
  return axes;
}

std::optional<OpFoldResult> tonno::findExtent(linalg::LinalgOp op,
                                              size_t loop) {
  Builder builder(op.getContext());
  if (int64_t known = op.getStaticLoopRanges()[loop];
      !ShapedType::isDynamic(known))
    return builder.getIndexAttr(known);
  for (auto [operand, axis] : findAxesOfLoop(op, loop))
    if (auto size = findSize(builder, operand, axis))
      return size;
  return std::nullopt;
}

OpFoldResult tonno::createExtent(OpBuilder &builder, linalg::LinalgOp op,
                                 size_t loop) {
  if (auto known = findExtent(op, loop))
    return *known;
  for (auto [operand, axis] : findAxesOfLoop(op, loop))
    return createSize(builder, op.getLoc(), operand, axis);
  return op.createLoopRanges(builder, op.getLoc())[loop].size;
}

LoopExtents::LoopExtents(RewriterBase &rewriter, linalg::LinalgOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  for (auto [loop, known] : llvm::enumerate(op.getStaticLoopRanges())) {
    extents.push_back(ShapedType::isDynamic(known)
                          ? createExtent(rewriter, op, loop)
                          : OpFoldResult(rewriter.getIndexAttr(known)));
    bounds.push_back(getStatic(loop));
    if (bounds.back())
      continue;
    // FailureOr derives from optional.
    bounds.back() = ValueBoundsConstraintSet::computeConstantBound(
        presburger::BoundType::UB, extents.back(), /*stopCondition=*/nullptr,
        /*closedUB=*/true);
  }
}

std::optional<int64_t> LoopExtents::getStatic(size_t loop) const {
  return getConstantIntValue(extents[loop]);
}

bool LoopExtents::isMultiple(size_t loop, int64_t divisor) const {
  if (divisor == 0 || divisor == 1)
    return true;
  if (auto known = getStatic(loop))
    return *known % divisor == 0;
  auto apply =
      cast<Value>(extents[loop]).getDefiningOp<affine::AffineApplyOp>();
  return apply && apply.getAffineMap().getResult(0).isMultipleOf(divisor);
}
