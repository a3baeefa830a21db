//===- Pads as borders around values --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace tonno {
#define GEN_PASS_DEF_LOWERPADSPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Returns true if the pad only adds borders, of static size and with a
/// constant, and does not ask for a copy. The source must not be collapsed
/// elsewhere, which takes a buffer without gaps.
static bool addsStaticBorders(tensor::PadOp pad) {
  auto isNegative = [](int64_t size) { return size < 0; };
  bool isStatic = pad.getSourceType().hasStaticShape() &&
                  pad.getLow().empty() && pad.getHigh().empty();
  Value number = pad.getConstantPaddingValue();
  return isStatic && llvm::none_of(pad.getStaticLow(), isNegative) &&
         llvm::none_of(pad.getStaticHigh(), isNegative) && number &&
         matchPattern(number, m_Constant()) && !pad.getNofold() &&
         llvm::none_of(pad.getSource().getUsers(),
                       llvm::IsaPred<tensor::CollapseShapeOp>);
}

/// Creates an empty tensor of the pad's type, and fills the borders: for each
/// dimension those below and above the source, which extend over the source in
/// the dimensions before, and over all of the tensor in those after.
static Value fillBorders(OpBuilder &builder, tensor::PadOp pad) {
  Location loc = pad.getLoc();
  RankedTensorType type = pad.getResultType();
  ArrayRef<int64_t> low = pad.getStaticLow();
  ArrayRef<int64_t> interior = pad.getSourceType().getShape();
  Value number = builder.clone(*pad.getConstantPaddingValue().getDefiningOp())
                     ->getResult(0);
  Value padded = tensor::EmptyOp::create(
      builder, loc, type.getShape(), type.getElementType(), type.getEncoding());
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(builder.getContext(), type.getShape());
  auto fill = [&] {
    Value border = tensor::ExtractSliceOp::create(builder, loc, padded, offsets,
                                                  sizes, strides);
    Value filled =
        linalg::FillOp::create(builder, loc, number, border).getResult(0);
    padded = tensor::InsertSliceOp::create(builder, loc, filled, padded,
                                           offsets, sizes, strides);
  };
  for (int64_t i = 0, e = type.getRank(); i < e; ++i) {
    int64_t end = low[i] + interior[i];
    for (auto [offset, size] : {std::pair(int64_t(0), low[i]),
                                std::pair(end, type.getDimSize(i) - end)})
      if (size > 0) {
        offsets[i] = builder.getIndexAttr(offset);
        sizes[i] = builder.getIndexAttr(size);
        fill();
      }
    offsets[i] = builder.getIndexAttr(low[i]);
    sizes[i] = builder.getIndexAttr(interior[i]);
  }
  return padded;
}

/// Replaces the pad by fills of its borders and an insertion of its source.
static void lowerPad(tensor::PadOp pad) {
  OpBuilder builder(pad);
  Value padded = fillBorders(builder, pad);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, pad.getLoc(), pad.getSource());
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  pad.getResult().replaceAllUsesWith(tensor::InsertSliceOp::create(
      builder, pad.getLoc(), pad.getSource(), padded, pad.getMixedLowPad(),
      sizes, strides));
  pad.erase();
}

namespace {

struct LowerPads : tonno::impl::LowerPadsPassBase<LowerPads> {
  void runOnOperation() override {
    if (hasOwnLowering(getOperation()))
      return;
    for (auto pad : collectOps<tensor::PadOp>(getOperation()))
      if (addsStaticBorders(pad))
        lowerPad(pad);
  }
};

} // namespace
