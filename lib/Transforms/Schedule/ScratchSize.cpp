//===- How much an allocation takes ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/ScratchSize.h"

#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;

std::optional<uint64_t> tonno::spanOf(MemRefType type) {
  int64_t offset;
  SmallVector<int64_t> strides;
  if (!type.hasStaticShape() ||
      failed(type.getStridesAndOffset(strides, offset)) || offset != 0 ||
      llvm::any_of(strides, [](int64_t stride) { return stride < 0; }))
    return std::nullopt;
  if (llvm::is_contained(type.getShape(), 0))
    return 0;
  uint64_t last = 0;
  for (auto [extent, stride] : llvm::zip_equal(type.getShape(), strides))
    last = llvm::SaturatingMultiplyAdd<uint64_t>(extent - 1, stride, last);
  return llvm::SaturatingAdd<uint64_t>(last, 1);
}

/// The largest that an index may be; none if that is not known.
static std::optional<int64_t> largest(Value index) {
  // Upstream tells of affine.min, but not of these.
  if (auto min = index.getDefiningOp<arith::MinSIOp>()) {
    auto left = largest(min.getLhs()), right = largest(min.getRhs());
    return left && right ? std::min(left, right) : left ? left : right;
  }
  FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, index, /*stopCondition=*/nullptr,
      /*closedUB=*/true);
  if (failed(bound))
    return std::nullopt;
  int64_t known = *bound;
  return known;
}

std::optional<uint64_t> tonno::largestSpanOf(MemRefType type,
                                             ValueRange dynamicSizes) {
  if (!type.getLayout().isIdentity())
    return std::nullopt;
  uint64_t elements = 1;
  auto multiply = [&](uint64_t extent) {
    bool overflows = false;
    elements = llvm::SaturatingMultiply(elements, extent, &overflows);
    return !overflows;
  };
  for (int64_t extent : type.getShape())
    if (!ShapedType::isDynamic(extent) && !multiply(extent))
      return std::nullopt;
  for (Value size : dynamicSizes) {
    std::optional<int64_t> extent = largest(size);
    if (!extent || *extent < 0 || !multiply(*extent))
      return std::nullopt;
  }
  return elements;
}
