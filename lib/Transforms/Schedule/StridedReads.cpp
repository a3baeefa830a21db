//===- Every other element of a row ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/StridedReads.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

/// The stride of the buffer's rows, if that is known.
static std::optional<int64_t> rowStride(MemRefType buffer) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(buffer.getStridesAndOffset(strides, offset)) || strides.empty() ||
      ShapedType::isDynamic(strides.back()))
    return std::nullopt;
  return strides.back();
}

/// What lies from the first element that is read to the last, in one row.
static Value rowBetween(RewriterBase &rewriter, vector::TransferReadOp read,
                        int64_t length) {
  Location loc = read.getLoc();
  auto buffer = cast<MemRefType>(read.getBase().getType());
  auto metadata =
      memref::ExtractStridedMetadataOp::create(rewriter, loc, read.getBase());
  SmallVector<OpFoldResult> indices(read.getIndices());
  auto [sum, terms] =
      computeLinearIndex(metadata.getConstifiedMixedOffset(),
                         metadata.getConstifiedMixedStrides(), indices);
  OpFoldResult begin =
      affine::makeComposedFoldedAffineApply(rewriter, loc, sum, terms);
  auto layout = StridedLayoutAttr::get(
      rewriter.getContext(),
      getConstantIntValue(begin).value_or(ShapedType::kDynamic), {1});
  auto row = MemRefType::get({length}, buffer.getElementType(), layout,
                             buffer.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      rewriter, loc, row, metadata.getBaseBuffer(), begin,
      ArrayRef<OpFoldResult>{rewriter.getIndexAttr(length)},
      ArrayRef<OpFoldResult>{rewriter.getIndexAttr(1)});
}

namespace {

struct ReadEveryOther : OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::TransferReadOp read,
                                PatternRewriter &rewriter) const override {
    VectorType type = read.getVectorType();
    int64_t lanes = type.getRank() == 1 ? type.getNumElements() : 0;
    auto buffer = dyn_cast<MemRefType>(read.getBase().getType());
    if (!buffer || lanes < 4 || lanes % 2 != 0 || type.isScalable() ||
        read.getMask() || !read.isDimInBounds(0) ||
        !read.getPermutationMap().isMinorIdentity() || rowStride(buffer) != 2)
      return failure();
    // The second half begins a place earlier, so that it ends with the last
    // element: what follows that need not be memory.
    Value row = rowBetween(rewriter, read, 2 * lanes - 1);
    SmallVector<Value> halves;
    for (int64_t place : {int64_t(0), lanes - 1}) {
      Value at = arith::ConstantIndexOp::create(rewriter, read.getLoc(), place);
      halves.push_back(
          vector::LoadOp::create(rewriter, read.getLoc(), type, row, at));
    }
    SmallVector<int64_t> chosen;
    for (int64_t lane = 0; lane < lanes; ++lane)
      chosen.push_back(2 * lane < lanes ? 2 * lane : 2 * lane + 1);
    rewriter.replaceOpWithNewOp<vector::ShuffleOp>(read, halves[0], halves[1],
                                                   chosen);
    return success();
  }
};

} // namespace

void tonno::populateStridedReadPatterns(RewritePatternSet &patterns) {
  // Before what reads each by itself.
  patterns.add<ReadEveryOther>(patterns.getContext(), /*benefit=*/10);
}
