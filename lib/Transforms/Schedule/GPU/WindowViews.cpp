//===- Convolutions as contractions ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/GPU/WindowViews.h"
#include "tonno/Dialect/LoopRoles.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "Schedule/Tiling/LinalgForms.h"
#include "Schedule/Tiling/LoopExtents.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
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
static SmallVector<WindowAxis> findAxes(linalg::LinalgOp op, AffineMap map,
                                        std::optional<unsigned> mergedLoop) {
  auto kinds = op.getIteratorTypesArray();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<WindowAxis> axes;
  for (auto [axis, index] : llvm::enumerate(map.getResults())) {
    auto steps = findLoopSteps(index);
    for (bool isReduction : {true, false})
      for (LoopStep step : *steps) {
        if (linalg::isReductionIterator(kinds[step.loop]) != isReduction ||
            step.loop == mergedLoop)
          continue;
        axes.push_back({unsigned(axis), step.stride, step.loop});
        if (mergedLoop && step.loop == *mergedLoop + 1)
          axes.back().times = extents[*mergedLoop];
      }
  }
  return axes;
}

/// Returns the strides of a buffer, or those that bufferization will give the
/// tensor; nothing if they are unknown.
static std::optional<SmallVector<int64_t>> findStrides(Value value) {
  SmallVector<int64_t> strides;
  if (auto buffer = dyn_cast<MemRefType>(value.getType())) {
    int64_t offset;
    return succeeded(buffer.getStridesAndOffset(strides, offset))
               ? std::optional(strides)
               : std::nullopt;
  }
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice)
    return computeStrides(cast<ShapedType>(value.getType()).getShape());
  auto whole = findStrides(slice.getSource());
  if (!whole)
    return std::nullopt;
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  for (auto [axis, step] : llvm::enumerate(slice.getStaticStrides())) {
    bool isKnown =
        !ShapedType::isDynamic(step) && !ShapedType::isDynamic((*whole)[axis]);
    if (!dropped.test(axis))
      strides.push_back(isKnown ? (*whole)[axis] * step : ShapedType::kDynamic);
  }
  return strides;
}

/// Returns true if the elements that an operand has for the innermost loop
/// follow each other from one iteration of the loop before it to the next.
static bool goesOn(linalg::LinalgOp op, OpOperand &operand) {
  unsigned last = op.getNumLoops() - 1;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  std::optional<SmallVector<int64_t>> strides = findStrides(operand.get());
  if (!strides)
    return false;
  // Elements between iterations of either loop, if it has one place.
  auto findStride = [&](unsigned loop) {
    std::optional<int64_t> found;
    for (auto [axis, index] : llvm::enumerate(map.getResults())) {
      auto steps = findLoopSteps(index);
      for (LoopStep step : *steps)
        if (step.loop == loop) {
          bool isKnown = !found && !ShapedType::isDynamic((*strides)[axis]);
          found = isKnown ? (*strides)[axis] * step.stride : 0;
        }
    }
    return found.value_or(0);
  };
  int64_t inner = findStride(last), outer = findStride(last - 1);
  return inner > 0 && outer == inner * op.getStaticLoopRanges()[last];
}

/// Channels from which on the tiles of matrix units are full.
static constexpr int64_t enoughChannels = 32;

/// Returns the loop before the innermost one if both are reductions that can be
/// one, and the innermost is short.
static std::optional<unsigned> findMergedLoop(linalg::LinalgOp op) {
  unsigned numLoops = op.getNumLoops();
  auto kinds = op.getIteratorTypesArray();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  if (numLoops < 2 || ShapedType::isDynamic(extents[numLoops - 1]) ||
      ShapedType::isDynamic(extents[numLoops - 2]) ||
      extents[numLoops - 1] >= enoughChannels || extents[numLoops - 2] == 1 ||
      !linalg::isReductionIterator(kinds[numLoops - 1]) ||
      !linalg::isReductionIterator(kinds[numLoops - 2]))
    return std::nullopt;
  for (OpOperand *input : op.getDpsInputOperands())
    if (isa<ShapedType>(input->get().getType()) && !goesOn(op, *input))
      return std::nullopt;
  return numLoops - 2;
}

/// Removes the sizes of a loop from an op's configuration. Fails if one is the
/// size of a tile.
static LogicalResult removeLoop(NamedAttrList &attributes, unsigned loop) {
  auto config = dyn_cast_or_null<DictionaryAttr>(
      attributes.get(TonnoDialect::kLoweringConfig));
  if (!config)
    return success();
  NamedAttrList entries(config);
  for (NamedAttribute entry : config)
    if (auto sizes = dyn_cast<ArrayAttr>(entry.getValue());
        sizes && loop < sizes.size()) {
      auto size = dyn_cast<IntegerAttr>(sizes[loop]);
      if (!size || size.getInt() > 1)
        return failure();
      SmallVector<Attribute> fewer(sizes.getValue());
      fewer.erase(fewer.begin() + loop);
      entries.set(entry.getName(), ArrayAttr::get(config.getContext(), fewer));
    }
  attributes.set(TonnoDialect::kLoweringConfig,
                 entries.getDictionary(config.getContext()));
  return success();
}

WindowContraction tonno::makeWindowContraction(
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
  NamedAttrList attributes(op->getDiscardableAttrDictionary());
  attributes.erase(linalg::LinalgDialect::kMemoizedIndexingMapsAttrName);
  std::optional<unsigned> merged = findMergedLoop(op);
  if (merged && failed(removeLoop(attributes, *merged)))
    merged = std::nullopt;
  auto kinds = op.getIteratorTypesArray();
  SmallVector<AffineExpr> loops;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    loops.push_back(
        rewriter.getAffineDimExpr(merged && loop > *merged ? loop - 1 : loop));
  if (merged)
    kinds.erase(kinds.begin() + *merged);
  auto createMap = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(kinds.size(), 0, results, rewriter.getContext());
  };
  rewriter.setInsertionPoint(op);
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs, views;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (op.isDpsInput(&operand))
      inputs.push_back(operand.get());
    bool isMerged = merged && map.isFunctionOfDim(*merged);
    if (map.isProjectedPermutation() && !isMerged) {
      maps.push_back(map.replaceDimsAndSymbols(loops, {}, kinds.size(), 0));
      continue;
    }
    SmallVector<WindowAxis> axes = findAxes(op, map, merged);
    SmallVector<AffineExpr> results;
    for (const WindowAxis &axis : axes)
      results.push_back(loops[axis.loop]);
    maps.push_back(createMap(results));
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
  auto generic =
      linalg::GenericOp::create(rewriter, op.getLoc(), op->getResultTypes(),
                                inputs, op.getDpsInits(), maps, kinds);
  rewriter.cloneRegionBefore(op->getRegion(0), generic.getRegion(),
                             generic.getRegion().end());
  generic->setDiscardableAttrs(attributes.getDictionary(op->getContext()));
  if (!isSharedContraction(generic)) {
    rewriter.eraseOp(generic);
    eraseViews();
    return {};
  }
  rewriter.replaceOp(op, generic);
  return {generic, merged};
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
      sizes.push_back(
          axis.times == 1
              ? createExtent(rewriter, op, axis.loop)
              : rewriter.getIndexAttr(op.getStaticLoopRanges()[axis.loop] *
                                      axis.times));
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
