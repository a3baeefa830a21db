//===- Ops that read through windows --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/Windows.h"
#include "tonno/Transforms/Schedule/UnitLoops.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tonno;

namespace {

/// A loop, and by how much its steps move.
struct Step {
  unsigned loop;
  int64_t stride;
};

} // namespace

/// Nothing for what is no sum of loops times constants above 0.
static std::optional<SmallVector<Step>> stepsOf(AffineExpr index) {
  if (auto dim = dyn_cast<AffineDimExpr>(index))
    return SmallVector<Step>{{dim.getPosition(), 1}};
  auto binary = dyn_cast<AffineBinaryOpExpr>(index);
  if (!binary)
    return std::nullopt;
  auto left = stepsOf(binary.getLHS());
  if (!left)
    return std::nullopt;
  if (binary.getKind() == AffineExprKind::Mul) {
    auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!factor || factor.getValue() <= 0)
      return std::nullopt;
    for (Step &step : *left)
      step.stride *= factor.getValue();
    return left;
  }
  auto right = stepsOf(binary.getRHS());
  if (binary.getKind() != AffineExprKind::Add || !right)
    return std::nullopt;
  llvm::append_range(*left, *right);
  return left;
}

bool tonno::isPlain(AffineMap map) {
  return map.isProjectedPermutation(/*allowZeroInResults=*/true);
}

bool tonno::hasWindows(linalg::LinalgOp op) {
  bool has = false;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (isPlain(map))
      continue;
    if (!op.isDpsInput(&operand) ||
        !llvm::all_of(map.getResults(),
                      [](AffineExpr index) { return stepsOf(index); }))
      return false;
    has = true;
  }
  return has;
}

SmallVector<unsigned> tonno::loopsOfResult(linalg::LinalgOp op) {
  SmallVector<unsigned> loops;
  op.getParallelDims(loops);
  AffineMap result = op.getIndexingMapsArray().back();
  auto placeOf = [&](unsigned loop) {
    auto place =
        result.getResultPosition(getAffineDimExpr(loop, result.getContext()));
    return std::pair(place ? static_cast<int64_t>(*place) : -1, loop);
  };
  llvm::sort(loops, [&](unsigned one, unsigned other) {
    return placeOf(one) < placeOf(other);
  });
  return loops;
}

SmallVector<unsigned> tonno::orderOfResult(linalg::LinalgOp op) {
  SmallVector<unsigned> order = loopsOfResult(op), reductions;
  op.getReductionDims(reductions);
  llvm::append_range(order, reductions);
  return order;
}

namespace {

/// What of an operand is read, and how it is indexed.
struct Slice {
  SmallVector<int64_t> sizes, strides;
  SmallVector<AffineExpr> indices;
};

} // namespace

/// Nothing where two loops of more than one step move along a dimension.
static std::optional<Slice> sliceOf(AffineMap map, ArrayRef<int64_t> extents) {
  MLIRContext *context = map.getContext();
  Slice slice;
  for (AffineExpr index : map.getResults()) {
    std::optional<Step> moving;
    auto steps = stepsOf(index);
    for (const Step &step : *steps) {
      if (extents[step.loop] == 1 && steps->size() > 1)
        continue;
      if (moving)
        return std::nullopt;
      moving = step;
    }
    slice.sizes.push_back(moving ? extents[moving->loop] : 1);
    slice.strides.push_back(moving ? moving->stride : 1);
    slice.indices.push_back(moving ? getAffineDimExpr(moving->loop, context)
                                   : getAffineConstantExpr(0, context));
  }
  return slice;
}

static Value makeSlice(RewriterBase &rewriter, Location loc, Value operand,
                       const Slice &slice) {
  auto shape = cast<ShapedType>(operand.getType()).getShape();
  if (llvm::all_of(slice.strides, [](int64_t stride) { return stride == 1; }) &&
      shape == ArrayRef(slice.sizes))
    return operand;
  SmallVector<OpFoldResult> offsets(slice.sizes.size(),
                                    rewriter.getIndexAttr(0));
  auto sizes = getAsIndexOpFoldResult(rewriter.getContext(), slice.sizes);
  auto strides = getAsIndexOpFoldResult(rewriter.getContext(), slice.strides);
  if (isa<MemRefType>(operand.getType()))
    return memref::SubViewOp::create(rewriter, loc, operand, offsets, sizes,
                                     strides);
  return tensor::ExtractSliceOp::create(rewriter, loc, operand, offsets, sizes,
                                        strides);
}

LogicalResult tonno::flattenWindows(RewriterBase &rewriter,
                                    linalg::LinalgOp op) {
  if (!hasWindows(op) || op.hasDynamicShape() || op.hasIndexSemantics())
    return success();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<std::optional<Slice>> slices(maps.size());
  for (auto [map, slice] : llvm::zip_equal(maps, slices)) {
    if (isPlain(map))
      continue;
    slice = sliceOf(map, extents);
    if (!slice)
      return success();
    map = AffineMap::get(op.getNumLoops(), 0, slice->indices,
                         rewriter.getContext());
    if (!isPlain(map))
      return success();
  }

  rewriter.setInsertionPoint(op);
  SmallVector<Value> operands(op->getOperands());
  for (auto [operand, slice] : llvm::zip_equal(operands, slices))
    if (slice)
      operand = makeSlice(rewriter, op.getLoc(), operand, *slice);
  ArrayRef<Value> inputs = ArrayRef(operands).take_front(op.getNumDpsInputs());
  ArrayRef<Value> inits = ArrayRef(operands).drop_front(op.getNumDpsInputs());
  auto flat = linalg::GenericOp::create(rewriter, op.getLoc(),
                                        op->getResultTypes(), inputs, inits,
                                        maps, op.getIteratorTypesArray());
  rewriter.inlineRegionBefore(op->getRegion(0), flat.getRegion(),
                              flat.getRegion().begin());
  rewriter.replaceOp(op, flat);

  // Vectors have their dimensions in the order of the loops: in another one
  // than the result's they would be transposed.
  SmallVector<unsigned> order = orderOfResult(flat);
  if (!llvm::is_sorted(order)) {
    auto ordered = linalg::interchangeGenericOp(rewriter, flat, order);
    if (failed(ordered))
      return failure();
    flat = *ordered;
  }
  dropUnitLoops(rewriter, flat);
  return success();
}
