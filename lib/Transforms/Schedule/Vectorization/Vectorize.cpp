//===- Vectorise ops that fit into registers ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tonno {
#define GEN_PASS_DEF_VECTORIZEPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Returns true if the op has i1 operands. An i1 takes a byte in memory, but a
/// bit in a vector's image.
static bool hasBooleans(linalg::LinalgOp op) {
  return llvm::any_of(op->getOperandTypes(), [](Type type) {
    return getElementTypeOrSelf(type).isInteger(1);
  });
}

/// Returns true for gathers of contiguous elements, which LLVM copies as such.
static bool isRowGather(linalg::LinalgOp op) {
  return llvm::any_of(
      op->getRegion(0).getOps<tensor::ExtractOp>(),
      [&](tensor::ExtractOp extract) {
        if (extract.getIndices().empty())
          return true;
        auto along =
            extract.getIndices().back().getDefiningOp<linalg::IndexOp>();
        return along && along.getDim() == op.getNumLoops() - 1;
      });
}

/// Ignores which of two zeros is larger: of six instructions, it takes three.
static void ignoreSignsOfZeros(linalg::LinalgOp op) {
  for (BlockArgument sum : op.getRegionOutputArgs())
    for (Operation *combiner : sum.getUsers())
      if (isa<arith::MaximumFOp, arith::MinimumFOp>(combiner)) {
        auto math = cast<arith::ArithFastMathInterface>(combiner);
        combiner->setAttr(
            math.getFastMathAttrName(),
            arith::FastMathFlagsAttr::get(
                op.getContext(), math.getFastMathFlagsAttr().getValue() |
                                     arith::FastMathFlags::nsz));
      }
}

/// Returns true if the op can become a vector.contract. A named contraction
/// needs a parallel loop, factors of one type, and casts that extend only
/// floats and signed integers.
static bool isNamedContraction(linalg::LinalgOp op) {
  return isa<linalg::ContractionOpInterface>(op.getOperation()) &&
         op.getNumParallelLoops() > 0 &&
         llvm::all_equal(llvm::map_range(
             op.getDpsInputs(),
             [](Value factor) { return getElementTypeOrSelf(factor); })) &&
         llvm::all_of(op.getBlock()->getOperations(), [](Operation &inner) {
           return !isa<CastOpInterface>(inner) ||
                  isa<arith::ExtFOp, arith::ExtSIOp>(inner);
         });
}

/// Returns true unless the op is a convolution that upstream vectorizes
/// wrongly. Its 1-D vectorization uses only the maps: factors are extended as
/// floats or signed numbers, those of one channel not at all, and nothing is
/// truncated.
static bool isSafeToVectorize(linalg::LinalgOp op) {
  if (!isa<linalg::ConvolutionOpInterface>(op.getOperation()))
    return true;
  auto has = [&](auto isSuch) {
    return llvm::any_of(op.getBlock()->getOperations(), isSuch);
  };
  bool isPooling = !has(llvm::IsaPred<arith::MulFOp, arith::MulIOp>);
  bool hasOneChannel = op.getNumLoops() == 2;
  return isPooling || !has([&](Operation &inner) {
           return isa<CastOpInterface>(inner) &&
                  (hasOneChannel ||
                   !isa<arith::ExtFOp, arith::ExtSIOp, arith::SIToFPOp>(inner));
         });
}

namespace {

struct Vectorize : tonno::impl::VectorizePassBase<Vectorize> {
  using VectorizePassBase::VectorizePassBase;

  bool fitsRegisters(linalg::LinalgOp op) {
    int64_t iterations = 1;
    for (int64_t extent : op.getStaticLoopRanges()) {
      if (ShapedType::isDynamic(extent) || extent > limit)
        return false;
      iterations *= extent;
      if (iterations > limit)
        return false;
    }
    return true;
  }

  void runOnOperation() override {
    if (hasOwnLowering(getOperation()))
      return;
    IRRewriter rewriter(&getContext());
    for (auto op : collectOps<linalg::LinalgOp>(getOperation())) {
      if (!fitsRegisters(op) || hasBooleans(op) || !isSafeToVectorize(op))
        continue;
      ignoreSignsOfZeros(op);
      rewriter.setInsertionPoint(op);
      auto vectorized = linalg::vectorize(
          rewriter, op, /*inputVectorSizes=*/{}, /*inputScalableVecDims=*/{},
          /*vectorizeNDExtract=*/!isRowGather(op),
          /*flatten1DDepthwiseConv=*/false,
          /*assumeDynamicDimsMatchVecSizes=*/false,
          /*createNamedContraction=*/isNamedContraction(op));
      // An op that can't be vectorized becomes loops, which is slower but
      // correct.
      if (succeeded(vectorized))
        rewriter.replaceOp(op, vectorized->replacements);
    }
    RewritePatternSet patterns(&getContext());
    vector::populateVectorReductionToContractPatterns(patterns);
    vector::populateVectorTransferPermutationMapLoweringPatterns(patterns);
    vector::populateSinkVectorOpsPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
