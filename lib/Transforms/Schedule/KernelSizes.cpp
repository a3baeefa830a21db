//===- Sizes of dynamic dimensions in a lowered kernel --------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/KernelSizes.h"
#include "tonno/Core/LaunchPlan.h"
#include "tonno/Dialect/TonnoDialect.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace tonno;

uint64_t tonno::getBytesInMemory(Type element, const DataLayout &layout) {
  return llvm::alignTo(layout.getTypeSize(element).getFixedValue(),
                       layout.getTypeABIAlignment(element));
}

/// Returns the index that the kernel makes of a size, which it loads once.
static Value findIndex(BlockArgument size) {
  for (Operation *user : size.getUsers())
    if (auto load = dyn_cast<memref::LoadOp>(user))
      for (Operation *cast : load->getUsers())
        if (auto index = dyn_cast<arith::IndexCastOp>(cast))
          return index;
  return Value();
}

KernelSizes::KernelSizes(func::FuncOp kernel) {
  auto count = kernel->getAttrOfType<IntegerAttr>(TonnoDialect::kSizes);
  if (!count || kernel.isExternal())
    return;
  // Behind the sizes there may be buffers that are loaded once.
  auto scalars =
      llvm::filter_to_vector(kernel.getArguments(), [](BlockArgument argument) {
        auto type = dyn_cast<MemRefType>(argument.getType());
        return type && type.getRank() == 0;
      });
  for (BlockArgument size : ArrayRef(scalars).take_back(count.getInt()))
    values.push_back(findIndex(size));
}

bool tonno::isNonNegative(AffineExpr value) {
  if (auto constant = dyn_cast<AffineConstantExpr>(value))
    return constant.getValue() >= 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(value);
  return !binary ||
         (isNonNegative(binary.getLHS()) && isNonNegative(binary.getRHS()));
}

AffineExpr KernelSizes::express(Value value) const {
  MLIRContext *context = value.getContext();
  if (auto constant = getConstantIntValue(value))
    return getAffineConstantExpr(*constant, context);
  if (const auto *found = llvm::find(values, value); found != values.end())
    return getAffineSymbolExpr(static_cast<unsigned>(found - values.begin()),
                               context);
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return express(op->getOperand(0));
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp,
                       arith::DivUIOp, arith::RemUIOp>(op))
    return AffineExpr();
  AffineExpr left = express(op->getOperand(0)),
             right = express(op->getOperand(1));
  if (!left || !right)
    return AffineExpr();
  if (isa<arith::AddIOp>(op))
    return left + right;
  if (isa<arith::SubIOp>(op))
    return left - right;
  if (isa<arith::MulIOp>(op))
    return left * right;
  auto divisor = dyn_cast<AffineConstantExpr>(right);
  if (!divisor || divisor.getValue() <= 0 || !isNonNegative(left))
    return AffineExpr();
  return isa<arith::DivUIOp>(op) ? left.floorDiv(divisor) : left % divisor;
}

AffineExpr KernelSizes::computeBound(Value extent) const {
  AffineMap bound;
  ValueDimList operands;
  auto isSize = [&](Value value, std::optional<int64_t>,
                    ValueBoundsConstraintSet &) {
    return llvm::is_contained(values, value);
  };
  if (failed(ValueBoundsConstraintSet::computeBound(
          bound, operands, presburger::BoundType::UB, extent, isSize,
          /*closedUB=*/true)) ||
      bound.getNumResults() != 1)
    return AffineExpr();
  SmallVector<AffineExpr> replacements;
  for (auto [value, axis] : operands) {
    const auto *found = llvm::find(values, value);
    if (axis || found == values.end())
      return AffineExpr();
    replacements.push_back(getAffineSymbolExpr(
        static_cast<unsigned>(found - values.begin()), extent.getContext()));
  }
  return bound.getResult(0).replaceDimsAndSymbols(
      ArrayRef(replacements).take_front(bound.getNumDims()),
      ArrayRef(replacements).drop_front(bound.getNumDims()));
}

AffineExpr KernelSizes::computeBytes(MemRefType type, ValueRange dynamicSizes,
                                     const DataLayout &layout) const {
  if (!type.getLayout().isIdentity())
    return AffineExpr();
  AffineExpr bytes = getAffineConstantExpr(
      int64_t(getBytesInMemory(type.getElementType(), layout)),
      type.getContext());
  for (int64_t extent : type.getShape())
    if (!ShapedType::isDynamic(extent))
      bytes = bytes * extent;
  for (Value size : dynamicSizes) {
    AffineExpr bound = computeBound(size);
    if (!bound)
      return AffineExpr();
    bytes = bound * bytes;
  }
  constexpr auto line = int64_t(bufferAlignment);
  return bytes.ceilDiv(line) * line;
}

Value KernelSizes::evaluate(ImplicitLocOpBuilder &builder,
                            AffineExpr value) const {
  // The map needs values for symbols that it does not use, too.
  SmallVector<OpFoldResult> symbols =
      llvm::map_to_vector(values, [&](Value size) -> OpFoldResult {
        return size ? OpFoldResult(size) : builder.getIndexAttr(0);
      });
  return getValueOrCreateConstantIndexOp(
      builder, builder.getLoc(),
      affine::makeComposedFoldedAffineApply(builder, builder.getLoc(),
                                            createMap(value), symbols));
}
