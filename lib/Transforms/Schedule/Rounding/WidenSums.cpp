//===- Accumulate narrow products in f32 ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoopRoles.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "tonno/Transforms/Schedule/Tiling/TileSizes.h"
#include "Schedule/Decomposition/Decomposition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

namespace tonno {
#define GEN_PASS_DEF_WIDENSUMSPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

namespace {

/// Rewrites one op.
class SumWidener {
public:
  /// `isFused` if the op is computed by the tiles of a later one.
  SumWidener(RewriterBase &rewriter, linalg::LinalgOp op, bool fusesRounding,
             bool isFused)
      : rewriter(rewriter), op(op), loc(op.getLoc()),
        init(op.getDpsInitOperand(0)), wide(rewriter.getF32Type()),
        fusesRounding(fusesRounding), isFused(isFused) {}

  void run() {
    rewriter.setInsertionPoint(op);
    Value destination = init->get();
    Attribute first; // of which the sums begin, if it is one number
    auto fill = destination.getDefiningOp<linalg::FillOp>();
    if (fill && matchPattern(fill.value(), m_Constant(&first)))
      destination = fill.output();
    bool addsTo = !first;
    APFloat start = APFloat::getZero(wide.getFloatSemantics());
    if (auto number = dyn_cast_if_present<FloatAttr>(first)) {
      bool isInexact = false;
      start = number.getValue();
      start.convert(wide.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &isInexact);
    }
    Value sums = emptySums();
    Value constant =
        arith::ConstantOp::create(rewriter, loc, FloatAttr::get(wide, start));
    auto filled = linalg::FillOp::create(rewriter, loc, constant, sums);
    linalg::LinalgOp sum =
        createWideSum(isTensor() ? filled.getResult(0) : sums);
    auto rounding = createRounding(isTensor() ? sum->getResult(0) : sums,
                                   destination, addsTo);
    rewriter.replaceOp(op, rounding->getResults());
    if (!fusesRounding || !isTensor())
      return;
    if (!isFused)
      moveConfiguration(sum, rounding);
    else if (!isFusedIntoUser(rounding))
      setVectors(sum, rounding);
  }

private:
  bool isTensor() const { return isa<RankedTensorType>(init->get().getType()); }
  Value extend(Value value) {
    return arith::ExtFOp::create(rewriter, loc, wide, value);
  }

  /// Creates a buffer or a tensor in f32 of the shape of the op's output.
  Value emptySums() {
    Value output = init->get();
    if (isTensor())
      return tensor::EmptyOp::create(
          rewriter, loc, tensor::getMixedSizes(rewriter, loc, output), wide);
    auto type = cast<MemRefType>(output.getType());
    return memref::AllocOp::create(rewriter, loc,
                                   MemRefType::get(type.getShape(), wide));
  }

  /// Clones the op with f32 for the type of its sums:
  ///
  ///   %p = arith.mulf %a, %b : bf16          %x = arith.extf %a : bf16 to f32
  ///   %s = arith.addf %sum, %p : bf16   ->   %y = arith.extf %b : bf16 to f32
  ///                                          %p = arith.mulf %x, %y : f32
  ///                                          %s = arith.addf %sum, %p : f32
  linalg::LinalgOp createWideSum(Value sums) {
    SmallVector<Value> operands(op->getOperands());
    operands[init->getOperandNumber()] = sums;
    SmallVector<Type, 1> types;
    if (isTensor())
      types.push_back(sums.getType());
    auto sum = cast<linalg::LinalgOp>(
        mlir::clone(rewriter, op.getOperation(), types, operands));
    OpBuilder::InsertionGuard guard(rewriter);
    sum.getRegionOutputArgs().front().setType(wide);
    Operation *combiner = findCombiner(sum);
    rewriter.setInsertionPoint(combiner);
    for (OpOperand &term : combiner->getOpOperands()) {
      auto product = term.get().getDefiningOp<arith::MulFOp>();
      if (!product)
        continue;
      Value widened = arith::MulFOp::create(
          rewriter, loc, extend(product.getLhs()), extend(product.getRhs()),
          product.getFastmathAttr());
      term.set(widened);
      rewriter.eraseOp(product);
    }
    combiner->getResult(0).setType(wide);
    return sum;
  }

  /// Rounds the sums to `destination`'s type, after adding to it if `addsTo`.
  linalg::GenericOp createRounding(Value sums, Value destination, bool addsTo) {
    auto type = cast<ShapedType>(destination.getType());
    AffineMap map = rewriter.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    SmallVector<Type, 1> types;
    if (isTensor())
      types.push_back(type);
    return linalg::GenericOp::create(
        rewriter, loc, types, sums, destination, ArrayRef{map, map}, loops,
        [&](OpBuilder &builder, Location at, ValueRange elements) {
          Value sum = elements[0];
          if (addsTo)
            sum = arith::AddFOp::create(
                builder, at,
                arith::ExtFOp::create(builder, at, wide, elements[1]), sum);
          Value rounded =
              arith::TruncFOp::create(builder, at, type.getElementType(), sum);
          linalg::YieldOp::create(builder, at, rounded);
        });
  }

  /// Moves the tiles of the result's loops to the rounding, which is fused with
  /// the sum by them while blocks are in the caches.
  void moveConfiguration(linalg::LinalgOp sum, linalg::GenericOp rounding) {
    DictionaryAttr config = getLoweringConfig(sum);
    if (!config)
      return;
    AffineMap written = sum.getIndexingMapsArray().back();
    NamedAttrList ofSum(config), ofRounding;
    // Moves the tile sizes of the result's loops to the rounding op; the sum
    // keeps the others.
    auto move = [&](StringRef from, StringRef to) {
      auto sizes = config.getAs<ArrayAttr>(from);
      if (!sizes || sizes.size() != sum.getNumLoops())
        return;
      SmallVector<Attribute> kept(sizes.begin(), sizes.end()), moved;
      for (AffineExpr index : written.getResults()) {
        unsigned loop = cast<AffineDimExpr>(index).getPosition();
        moved.push_back(sizes[loop]);
        kept[loop] = rewriter.getI64IntegerAttr(0);
      }
      if (llvm::all_of(moved, isZeroInteger))
        return;
      ofRounding.set(to, rewriter.getArrayAttr(moved));
      ofSum.set(from, rewriter.getArrayAttr(kept));
    };
    move(config.get(lowering_config::kFuse) ? lowering_config::kFuse
                                            : lowering_config::kWorkgroup,
         lowering_config::kFuse);
    move(lowering_config::kStream, lowering_config::kStream);
    if (Attribute threads = ofSum.erase(lowering_config::kThreads))
      ofRounding.set(lowering_config::kThreads, threads);
    setLoweringConfig(sum, ofSum);
    if (ofRounding.empty())
      return;
    setLoweringConfig(rounding, ofRounding);
    setVectors(sum, rounding);
  }

  /// Gives the rounding vectors as long as those of the sums.
  void setVectors(linalg::LinalgOp sum, linalg::GenericOp rounding) {
    DictionaryAttr config = getLoweringConfig(sum);
    auto sizes = config ? config.getAs<ArrayAttr>(lowering_config::kSubgroup)
                        : ArrayAttr();
    AffineMap written = sum.getIndexingMapsArray().back();
    if (!sizes || sizes.size() != sum.getNumLoops() ||
        written.getNumResults() == 0)
      return;
    SmallVector<Attribute> tiles(written.getNumResults(),
                                 rewriter.getI64IntegerAttr(1));
    tiles.back() = sizes[written.getDimPosition(tiles.size() - 1)];
    NamedAttrList ofRounding(getLoweringConfig(rounding));
    ofRounding.set(lowering_config::kWorkgroup, rewriter.getArrayAttr(tiles));
    setLoweringConfig(rounding, ofRounding);
  }

  RewriterBase &rewriter;
  linalg::LinalgOp op;
  Location loc;
  OpOperand *init;
  FloatType wide;
  bool fusesRounding, isFused;
};

} // namespace

namespace {

struct WidenSums : tonno::impl::WidenSumsPassBase<WidenSums> {
  using WidenSumsPassBase::WidenSumsPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (hasOwnLowering(function) ||
        function->getParentOp()->hasAttr(TonnoDialect::kStrict))
      return;
    IRRewriter rewriter(&getContext());
    llvm::DenseSet<Operation *> fused;
    for (const auto &[root, group] : getFusionGroups(function))
      for (Operation *op : llvm::make_first_range(group))
        if (op != root)
          fused.insert(op);
    for (linalg::LinalgOp op : collectOpsIf(function, sumsNarrowProducts))
      SumWidener(rewriter, op, fusesRounding, fused.contains(op)).run();
  }
};

} // namespace
