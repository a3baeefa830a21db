//===- Convolutions as contractions ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/GPU/WindowViews.h"
#include "tonno/Dialect/LoopRoles.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "Schedule/Tiling/LinalgForms.h"
#include "Schedule/Tiling/LoopExtents.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <tuple>

namespace tonno {
#define GEN_PASS_DEF_WINDOWVIEWSPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Returns the axes of the view, a loop's each. Of one axis, parallel loops
/// come last: neighbouring results read neighbouring elements.
static SmallVector<WindowAxis> findAxes(linalg::LinalgOp op, AffineMap map) {
  auto kinds = op.getIteratorTypesArray();
  SmallVector<WindowAxis> axes;
  for (auto [axis, index] : llvm::enumerate(map.getResults())) {
    auto steps = findLoopSteps(index);
    for (bool isReduction : {true, false})
      for (LoopStep step : *steps)
        if (linalg::isReductionIterator(kinds[step.loop]) == isReduction)
          axes.push_back({unsigned(axis), step.stride, step.loop});
  }
  return axes;
}

linalg::LinalgOp tonno::makeWindowContraction(
    RewriterBase &rewriter, linalg::LinalgOp op,
    function_ref<Value(Value, ArrayRef<WindowAxis>)> makeView) {
  bool hasSums = llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
    return llvm::all_of(map.getResults(), [](AffineExpr index) {
      return findLoopSteps(index).has_value();
    });
  });
  if (!hasSlidingWindows(op) || !hasSums || !hasScalarPayload(op) ||
      op.getNumDpsInits() != 1)
    return {};
  rewriter.setInsertionPoint(op);
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs, views;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (op.isDpsInput(&operand))
      inputs.push_back(operand.get());
    if (map.isProjectedPermutation()) {
      maps.push_back(map);
      continue;
    }
    SmallVector<WindowAxis> axes = findAxes(op, map);
    SmallVector<AffineExpr> results;
    for (const WindowAxis &axis : axes)
      results.push_back(rewriter.getAffineDimExpr(axis.loop));
    maps.push_back(
        AffineMap::get(map.getNumDims(), 0, results, rewriter.getContext()));
    Value view = op.isDpsInput(&operand) && maps.back().isProjectedPermutation()
                     ? makeView(operand.get(), axes)
                     : Value();
    if (!view)
      break;
    inputs.back() = view;
    views.push_back(view);
  }
  auto eraseViews = [&] {
    for (Value view : views)
      rewriter.eraseOp(view.getDefiningOp());
  };
  if (maps.size() != op->getNumOperands()) {
    eraseViews();
    return {};
  }
  auto generic = linalg::GenericOp::create(
      rewriter, op.getLoc(), op->getResultTypes(), inputs, op.getDpsInits(),
      maps, op.getIteratorTypesArray());
  rewriter.cloneRegionBefore(op->getRegion(0), generic.getRegion(),
                             generic.getRegion().end());
  NamedAttrList attributes(op->getDiscardableAttrDictionary());
  attributes.erase(linalg::LinalgDialect::kMemoizedIndexingMapsAttrName);
  generic->setDiscardableAttrs(attributes.getDictionary(op->getContext()));
  if (!isSharedContraction(generic)) {
    rewriter.eraseOp(generic);
    eraseViews();
    return {};
  }
  rewriter.replaceOp(op, generic);
  return generic;
}

namespace {

struct WindowViews : tonno::impl::WindowViewsPassBase<WindowViews> {
  using WindowViewsPassBase::WindowViewsPassBase;

  void runOnOperation() override {
    if (hasOwnLowering(getOperation()))
      return;
    IRRewriter rewriter(&getContext());
    for (auto op : collectOps<linalg::LinalgOp>(getOperation()))
      makeWindowContraction(rewriter, op,
                            [&](Value source, ArrayRef<WindowAxis> axes) {
                              return createView(rewriter, op, source, axes);
                            });
  }

private:
  /// Returns a view in which windows overlap; null if the buffer has strides
  /// that are known only at run time.
  static Value createView(RewriterBase &rewriter, linalg::LinalgOp op,
                          Value source, ArrayRef<WindowAxis> axes) {
    auto type = dyn_cast<MemRefType>(source.getType());
    SmallVector<int64_t> strides;
    int64_t offset;
    if (!type || failed(type.getStridesAndOffset(strides, offset)) ||
        ShapedType::isDynamic(offset) ||
        llvm::any_of(strides, ShapedType::isDynamic))
      return {};
    SmallVector<OpFoldResult> sizes, steps;
    SmallVector<int64_t> shape, layout;
    for (const WindowAxis &axis : axes) {
      sizes.push_back(createExtent(rewriter, op, axis.loop));
      layout.push_back(strides[axis.axis] * axis.step);
      steps.push_back(rewriter.getIndexAttr(layout.back()));
    }
    std::tie(shape, std::ignore) = decomposeMixedValues(sizes);
    auto viewed = MemRefType::get(
        shape, type.getElementType(),
        StridedLayoutAttr::get(rewriter.getContext(), offset, layout),
        type.getMemorySpace());
    return memref::ReinterpretCastOp::create(
        rewriter, op.getLoc(), viewed, source, rewriter.getIndexAttr(offset),
        sizes, steps);
  }
};

} // namespace
