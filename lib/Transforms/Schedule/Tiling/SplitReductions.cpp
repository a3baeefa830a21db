//===- Split reductions over workgroups -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/Tiling/SplitReductions.h"
#include "tonno/Dialect/LoopRoles.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "Schedule/Tiling/LinalgForms.h"

#include "llvm/ADT/bit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tonno {
#define GEN_PASS_DEF_SPLITREDUCTIONSPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Parts of a reduction over several loops that has no configuration: enough
/// for any GPU, if each has elements for a few loads of a workgroup's threads.
static constexpr int64_t enoughParts = 1024, leastElements = 4096;

/// Results for which parts are not needed to keep a GPU busy.
static constexpr int64_t enoughResults = 256;

static SmallVector<unsigned> getReductions(linalg::LinalgOp op) {
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  return loops;
}

bool tonno::canSplitReduction(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && !op.hasDynamicShape() &&
         hasScalarPayload(op) &&
         (hasProjectedMaps(op) || hasSlidingWindows(op)) &&
         !llvm::is_contained(op.getStaticLoopRanges(), 0) &&
         op.getNumReductionLoops() != 0 && findCombiner(op);
}

namespace {

/// Splits one reduction loop of an op.
class Splitter {
public:
  Splitter(RewriterBase &rewriter, linalg::LinalgOp op, unsigned loop,
           int64_t parts)
      : builder(op.getLoc(), rewriter), op(op), loop(loop), parts(parts),
        elements(op.getStaticLoopRanges()[loop] / parts),
        combiner(findCombiner(op)) {
    builder.setInsertionPoint(op);
  }

  /// Returns the op that computes the parts, and the one that combines them.
  std::pair<linalg::LinalgOp, linalg::LinalgOp> split() {
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      maps.push_back(withPart(map));
      inputs.push_back(expand(input->get(), map));
    }
    AffineMap results =
        withPart(op.getMatchingIndexingMap(op.getDpsInitOperand(0)));
    // Parts lie side by side if a row's do. Those of products are as the result
    // is, which their tiles have the rows of.
    bool isOfRows = loop + 1 == op.getNumLoops() && !isSharedContraction(op) &&
                    !hasSlidingWindows(op);
    size_t axis = isOfRows ? results.getNumResults() : 0;
    maps.push_back(
        results.insertResult(builder.getAffineDimExpr(loop), unsigned(axis)));
    auto type = cast<RankedTensorType>(op.getDpsInits()[0].getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin() + axis, parts);
    auto loops = op.getIteratorTypesArray();
    if (isWhole())
      loops[loop] = utils::IteratorType::parallel;
    else
      loops.insert(loops.begin() + loop, utils::IteratorType::parallel);
    auto partial = linalg::GenericOp::create(builder, type.clone(shape), inputs,
                                             fillNeutral(shape), maps, loops);
    IRMapping values;
    op->getRegion(0).cloneInto(&partial.getRegion(), values);
    configure(partial);
    return {partial, combine(partial.getResult(0), axis)};
  }

private:
  /// Returns true if each iteration is a part.
  bool isWhole() const { return elements == 1; }

  /// Returns the map for loops with that of the parts before the reduction.
  AffineMap withPart(AffineMap map) {
    if (isWhole())
      return map;
    AffineExpr part = builder.getAffineDimExpr(loop);
    auto axis = map.getResultPosition(part);
    AffineMap moved = map.shiftDims(/*shift=*/1, /*offset=*/loop);
    return axis ? moved.insertResult(part, *axis) : moved;
  }

  /// Makes the axis that the reduction runs over two: parts, and their
  /// elements.
  Value expand(Value input, AffineMap map) {
    auto position = map.getResultPosition(builder.getAffineDimExpr(loop));
    if (!position || isWhole())
      return input;
    auto type = cast<RankedTensorType>(input.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[*position] = elements;
    shape.insert(shape.begin() + *position, parts);
    SmallVector<ReassociationIndices> axes;
    int64_t next = 0;
    for (unsigned axis = 0; axis < type.getRank(); ++axis) {
      axes.push_back({next++});
      if (axis == *position)
        axes.back().push_back(next++);
    }
    return tensor::ExpandShapeOp::create(builder, type.clone(shape), input,
                                         axes);
  }

  Value fillNeutral(ArrayRef<int64_t> shape) {
    TypedAttr neutral = *arith::getNeutralElement(combiner);
    Value value = arith::ConstantOp::create(builder, neutral);
    Value empty = tensor::EmptyOp::create(builder, shape, neutral.getType());
    return linalg::FillOp::create(builder, value, empty).getResult(0);
  }

  /// Gives the parts the op's configuration, with one part in a tile.
  void configure(linalg::GenericOp partial) {
    DictionaryAttr config = getLoweringConfig(op);
    if (!config || isWhole())
      return;
    NamedAttrList entries(config);
    entries.erase(lowering_config::kSplit);
    if (entries.empty())
      return;
    // By default, a workgroup would have all parts.
    SmallVector<int64_t> onePart(partial.getNumLoops(), 0);
    onePart[loop] = 1;
    entries.set(lowering_config::kWorkgroup, builder.getI64ArrayAttr(onePart));
    for (NamedAttribute entry : config)
      if (auto sizes = dyn_cast<ArrayAttr>(entry.getValue())) {
        bool isOfThreads = entry.getName() == lowering_config::kWorkgroup ||
                           entry.getName() == lowering_config::kThread;
        SmallVector<Attribute> longer(sizes.getValue());
        longer.insert(longer.begin() + loop,
                      builder.getI64IntegerAttr(isOfThreads ? 1 : 0));
        entries.set(entry.getName(), builder.getArrayAttr(longer));
      }
    setLoweringConfig(partial, entries);
  }

  linalg::LinalgOp combine(Value results, size_t axis) {
    auto type = cast<RankedTensorType>(results.getType());
    unsigned rank = type.getRank();
    AffineMap all = builder.getMultiDimIdentityMap(rank);
    SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
    loops[axis] = utils::IteratorType::reduction;
    Value init = op.getDpsInits()[0];
    return linalg::GenericOp::create(
        builder, init.getType(), results, init,
        ArrayRef{all, all.dropResult(unsigned(axis))}, loops,
        [&](OpBuilder &inner, Location loc, ValueRange values) {
          IRMapping operands;
          for (auto [operand, value] :
               llvm::zip_equal(combiner->getOperands(), values))
            operands.map(operand, value);
          Operation *combined = inner.clone(*combiner, operands);
          linalg::YieldOp::create(inner, loc, combined->getResults());
        });
  }

  ImplicitLocOpBuilder builder;
  linalg::LinalgOp op;
  unsigned loop;
  int64_t parts, elements; ///< elements of each part
  Operation *combiner;
};

struct SplitReductions : tonno::impl::SplitReductionsPassBase<SplitReductions> {
  using SplitReductionsPassBase::SplitReductionsPassBase;

  void runOnOperation() override {
    if (hasOwnLowering(getOperation()))
      return;
    IRRewriter rewriter(&getContext());
    for (auto op : collectOps<linalg::LinalgOp>(getOperation()))
      if (failed(split(rewriter, op)))
        return signalPassFailure();
  }

private:
  LogicalResult split(IRRewriter &rewriter, linalg::LinalgOp op) {
    auto parts = getConfigured(op, lowering_config::kSplit, 1);
    if (failed(parts))
      return failure();
    SmallVector<unsigned> reductions = getReductions(op);
    std::optional<unsigned> loop = findSplitLoop(op);
    if (*parts > 1 && (!loop || !canSplitReduction(op)))
      return op.emitOpError()
             << "has '" << lowering_config::kSplit
             << "', which needs one reduction of tensors, of known extent, "
                "whose combiner is an op with a neutral element; of several "
                "reductions, give one a tile, such as the channels of a "
                "convolution";
    if (*parts > 1)
      splitLoop(rewriter, op, *loop, *parts);
    else if (reductions.size() > 1 && !getLoweringConfig(op) &&
             hasProjectedMaps(op) && canSplitReduction(op) &&
             !isSharedContraction(op))
      flatten(rewriter, op);
    return success();
  }

  /// Returns the only reduction, or the only one whose tile has several
  /// iterations; nothing if it moves a window.
  static std::optional<unsigned> findSplitLoop(linalg::LinalgOp op) {
    SmallVector<unsigned> loops = getReductions(op);
    if (loops.size() > 1) {
      DictionaryAttr config = getLoweringConfig(op);
      auto tiles = config ? config.getAs<ArrayAttr>(lowering_config::kReduction)
                          : ArrayAttr();
      llvm::erase_if(loops, [&](unsigned loop) {
        auto size = tiles && loop < tiles.size()
                        ? dyn_cast<IntegerAttr>(tiles[loop])
                        : IntegerAttr();
        return !size || size.getInt() <= 1;
      });
    }
    bool isPlain = loops.size() == 1 && !movesSlidingWindow(op, loops.front());
    return isPlain ? std::optional(loops.front()) : std::nullopt;
  }

  /// Splits a loop; another op adds the remainder. Returns the op with the
  /// result.
  linalg::LinalgOp splitLoop(IRRewriter &rewriter, linalg::LinalgOp op,
                             unsigned loop, int64_t parts) {
    int64_t extent = op.getStaticLoopRanges()[loop];
    parts = std::clamp<int64_t>(extent / 2, 1, parts);
    linalg::LinalgOp last;
    if (int64_t remainder = extent % parts) {
      std::tie(op, last) =
          tonno::splitLoop(rewriter, op, loop, extent - remainder);
      last->removeDiscardableAttr(TonnoDialect::kLoweringConfig);
    }
    if (parts > 1) {
      linalg::LinalgOp combined =
          Splitter(rewriter, op, loop, parts).split().second;
      rewriter.replaceOp(op, combined);
      op = combined;
    }
    return last ? last : op;
  }

  /// Makes a reduction over several loops some over one: of adjacent loops, or
  /// of the innermost, whose results are reduced in turn.
  void flatten(IRRewriter &rewriter, linalg::LinalgOp op) {
    op = collapse(rewriter, op);
    SmallVector<unsigned> reductions = getReductions(op);
    int64_t extent = op.getStaticLoopRanges()[reductions.front()];
    if (reductions.size() > 1) {
      // One part for each iteration of an outer loop.
      auto [partial, combined] =
          Splitter(rewriter, op, reductions.front(), extent).split();
      rewriter.replaceOp(op, combined);
      flatten(rewriter, partial);
      return flatten(rewriter, combined);
    }
    int64_t results = computeProduct(op.getStaticLoopRanges()) / extent;
    int64_t parts = std::min(enoughParts, extent / leastElements);
    if (results < enoughResults && parts > 1)
      op = splitLoop(rewriter, op, reductions.front(),
                     int64_t(llvm::bit_floor(uint64_t(parts))));
    // With a configuration, which chooses the default tiles, it joins no launch
    // whose tiles are another op's.
    SmallVector<int64_t> whole(op.getNumLoops(), 0);
    setLoweringConfig(
        op, NamedAttrList(rewriter.getNamedAttr(
                lowering_config::kWorkgroup, rewriter.getI64ArrayAttr(whole))));
  }

  /// Makes adjacent reductions one, as far as upstream can.
  linalg::LinalgOp collapse(IRRewriter &rewriter, linalg::LinalgOp op) {
    SmallVector<unsigned> reductions = getReductions(op);
    for (size_t i = 0; i + 1 < reductions.size(); ++i) {
      ReassociationIndices both = {reductions[i], reductions[i + 1]};
      if (both[1] != both[0] + 1 ||
          !linalg::areDimSequencesPreserved(op.getIndexingMapsArray(), both))
        continue;
      rewriter.setInsertionPoint(op);
      auto generic = makeGeneric(rewriter, op);
      if (failed(generic))
        return op;
      auto collapsed = linalg::collapseOpIterationDims(
          cast<linalg::LinalgOp>(generic->getOperation()), both, rewriter);
      if (failed(collapsed))
        return *generic;
      rewriter.replaceOp(*generic, collapsed->results);
      return collapse(rewriter, collapsed->collapsedOp);
    }
    return op;
  }
};

} // namespace
