//===- Vectors to fused multiply-adds -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/PairSums.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "tonno/Transforms/Schedule/StridedReads.h"

#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tonno {
#define GEN_PASS_DEF_LOWERVECTORSPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;

/// Rows of fewer bits are short.
static constexpr unsigned shortRowBits = 128;

/// Whether upstream lowers the op on scalars and rows only, and unrolls it
/// neither on the way to LLVM nor, where it has two results, by a pattern.
static bool isOnRowsOnly(Operation *op) {
  return isa<math::CountLeadingZerosOp, math::CountTrailingZerosOp,
             math::AbsIOp, arith::MulSIExtendedOp, arith::MulUIExtendedOp,
             arith::AddUIExtendedOp>(op);
}

/// Takes an op on vectors apart into the same on each row.
static void unrollToRows(Operation *op, VectorType type) {
  OpBuilder builder(op);
  SmallVector<Value> results;
  SmallVector<Type> rowTypes;
  for (Type whole : op->getResultTypes()) {
    results.push_back(ub::PoisonOp::create(builder, op->getLoc(), whole));
    rowTypes.push_back(VectorType::get(type.getShape().take_back(),
                                       getElementTypeOrSelf(whole)));
  }
  SmallVector<int64_t> tile(type.getRank() - 1, 1);
  for (const SmallVector<int64_t> &row :
       StaticTileOffsetRange(type.getShape().drop_back(), tile)) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(
          vector::ExtractOp::create(builder, op->getLoc(), operand, row));
    Operation *onRow =
        builder.create(op->getLoc(), op->getName().getIdentifier(), operands,
                       rowTypes, op->getAttrs());
    for (auto [result, part] : llvm::zip(results, onRow->getResults()))
      result =
          vector::InsertOp::create(builder, op->getLoc(), part, result, row);
  }
  op->replaceAllUsesWith(results);
  op->erase();
}

/// Swaps the factors if the first has none of the rows of the result: upstream
/// makes outer products of no others, but a sum for each element.
static void putRowsFirst(vector::ContractionOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (unsigned loop = 0; loop < maps[0].getNumDims(); ++loop) {
    bool isFirsts = maps[0].isFunctionOfDim(loop);
    if (isFirsts == maps[1].isFunctionOfDim(loop))
      continue;
    if (isFirsts)
      return;
    Value first = op.getLhs(), second = op.getRhs();
    op.getLhsMutable().assign(second);
    op.getRhsMutable().assign(first);
    std::swap(maps[0], maps[1]);
    op.setIndexingMapsAttr(
        Builder(op.getContext()).getAffineMapArrayAttr(maps));
    return;
  }
}

namespace {

struct LowerVectors : tonno::impl::LowerVectorsPassBase<LowerVectors> {
  using LowerVectorsPassBase::LowerVectorsPassBase;

  /// Patterns of one call see nothing of the next: a contraction must be gone
  /// before its rows are taken apart.
  LogicalResult apply(llvm::function_ref<void(RewritePatternSet &)> populate) {
    RewritePatternSet patterns(&getContext());
    populate(patterns);
    return applyPatternsGreedily(getOperation(), std::move(patterns));
  }

  /// Operands get the sums' type: upstream takes apart no batch of others.
  void widenContractions() {
    getOperation()->walk([](vector::ContractionOp op) {
      OpBuilder builder(op);
      Type sum = getElementTypeOrSelf(op.getAccType());
      for (OpOperand &operand : op->getOpOperands().take_front(2)) {
        auto type = cast<VectorType>(operand.get().getType());
        if (type.getElementType() == sum)
          continue;
        Type wide = type.clone(sum);
        if (isa<FloatType>(sum))
          operand.set(
              arith::ExtFOp::create(builder, op.getLoc(), wide, operand.get()));
        else
          operand.set(arith::ExtSIOp::create(builder, op.getLoc(), wide,
                                             operand.get()));
      }
    });
  }

  /// Each row of what is summed up along rows by itself: to transpose them in
  /// registers first takes more shuffles.
  LogicalResult lowerRowReductions() {
    SmallVector<Operation *> reductions;
    getOperation()->walk([&](vector::MultiDimReductionOp op) {
      if (op.isReducedDim(op.getSourceVectorType().getRank() - 1))
        reductions.push_back(op);
    });
    RewritePatternSet patterns(&getContext());
    vector::populateVectorMultiReductionLoweringPatterns(
        patterns, vector::VectorMultiReductionLowering::InnerReduction);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    return applyOpPatternsGreedily(reductions, std::move(patterns), config);
  }

  /// Squares of 16 by 16 words: 64 shuffles of two rows each, where one of all
  /// elements, taken apart later, would go through memory.
  LogicalResult lowerSquareTransposes() {
    SmallVector<Operation *> squares;
    getOperation()->walk([&](vector::TransposeOp op) {
      VectorType type = op.getResultVectorType();
      if (type.getShape() == ArrayRef<int64_t>{16, 16} &&
          type.getElementType().isIntOrFloat() &&
          type.getElementTypeBitWidth() == 32)
        squares.push_back(op);
    });
    RewritePatternSet patterns(&getContext());
    vector::populateVectorTransposeLoweringPatterns(
        patterns, vector::VectorTransposeLowering::Shuffle16x16);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingOps);
    return applyOpPatternsGreedily(squares, std::move(patterns), config);
  }

  /// Short rows that lie side by side are written together. They are not read
  /// so: what a product has of each row is best read for that row.
  LogicalResult joinShortRows() {
    SmallVector<Operation *> writes;
    getOperation()->walk([&](vector::TransferWriteOp op) {
      if (op.getVectorType().getRank() > 1)
        writes.push_back(op);
    });
    RewritePatternSet patterns(&getContext());
    vector::populateFlattenVectorTransferPatterns(patterns, shortRowBits);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingOps);
    return applyOpPatternsGreedily(writes, std::move(patterns), config);
  }

  /// As in the vectors that are left over of them.
  void ignoreSignsOfZeros() {
    getOperation()->walk([](vector::ReductionOp op) {
      if (op.getKind() == vector::CombiningKind::MAXIMUMF ||
          op.getKind() == vector::CombiningKind::MINIMUMF)
        op.setFastmath(op.getFastmath() | arith::FastMathFlags::nsz);
    });
  }

  void runOnOperation() override {
    // Masks first: what else is made of a masked op computes without its mask.
    auto masks = [](RewritePatternSet &patterns) {
      vector::populateVectorMaskLoweringPatternsForSideEffectingOps(patterns);
    };
    auto permutations = [](RewritePatternSet &patterns) {
      vector::populateVectorTransferPermutationMapLoweringPatterns(patterns);
    };
    auto contractions = [](RewritePatternSet &patterns) {
      vector::populateVectorContractLoweringPatterns(
          patterns, vector::VectorContractLowering::OuterProduct);
    };
    auto rows = [](RewritePatternSet &patterns) {
      vector::populateVectorOuterProductLoweringPatterns(patterns);
      vector::populateVectorTransposeLoweringPatterns(
          patterns, vector::VectorTransposeLowering::Shuffle1D);
      vector::populateVectorBroadcastLoweringPatterns(patterns);
      vector::populateVectorShapeCastLoweringPatterns(patterns);
      vector::populateVectorMultiReductionLoweringPatterns(
          patterns, vector::VectorMultiReductionLowering::InnerParallel);
      vector::populateVectorGatherLoweringPatterns(patterns);
      vector::populateVectorScanLoweringPatterns(patterns);
      vector::populateVectorInterleaveLoweringPatterns(patterns);
      vector::populateVectorBitCastLoweringPatterns(patterns);
    };
    auto transfers = [](RewritePatternSet &patterns) {
      VectorTransferToSCFOptions options;
      options.enableFullUnroll(true);
      options.setTargetRank(1);
      populateVectorToSCFConversionPatterns(patterns, options);
      vector::populateVectorTransferLoweringPatterns(patterns,
                                                     /*maxTransferRank=*/1);
      tonno::populateStridedReadPatterns(patterns);
    };
    auto maskValues = [](RewritePatternSet &patterns) {
      vector::populateVectorMaskOpLoweringPatterns(patterns);
    };
    if (failed(tonno::lowerPairSums(getOperation(), dotsBf16)))
      return signalPassFailure();
    widenContractions();
    getOperation()->walk(putRowsFirst);
    if (failed(apply(masks)) || failed(apply(permutations)) ||
        failed(joinShortRows()) || failed(apply(contractions)) ||
        failed(lowerRowReductions()) || failed(lowerSquareTransposes()) ||
        failed(apply(rows)) || failed(apply(transfers)) ||
        failed(apply(maskValues)))
      return signalPassFailure();
    ignoreSignsOfZeros();
    getOperation()->walk([](Operation *op) {
      if (!isOnRowsOnly(op))
        return;
      auto type = dyn_cast<VectorType>(op->getResult(0).getType());
      if (type && type.getRank() > 1)
        unrollToRows(op, type);
    });
  }
};

} // namespace
