//===- Promote floating point to f64 --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoopRoles.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"

#include <complex>

namespace tonno {
#define GEN_PASS_DEF_PROMOTETOF64PASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

namespace {

APFloat widened(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value;
}

/// Replaces every floating-point type and constant within an attribute or type.
AttrTypeReplacer makeReplacer(MLIRContext *context) {
  AttrTypeReplacer replacer;
  auto f64 = Float64Type::get(context);
  replacer.addReplacement([=](FloatType) -> Type { return f64; });
  replacer.addReplacement(
      [=](FloatAttr attribute) -> std::pair<Attribute, WalkResult> {
        return {FloatAttr::get(f64, widened(attribute.getValue())),
                WalkResult::skip()};
      });
  replacer.addReplacement(
      [=](DenseFPElementsAttr attribute) -> std::pair<Attribute, WalkResult> {
        auto widen = [](const APFloat &value) {
          return widened(value).bitcastToAPInt();
        };
        return {attribute.mapValues(f64, widen), WalkResult::skip()};
      });
  replacer.addReplacement(
      [=](DenseElementsAttr attribute)
          -> std::optional<std::pair<Attribute, WalkResult>> {
        auto complex = dyn_cast<ComplexType>(attribute.getElementType());
        if (!complex || !isa<FloatType>(complex.getElementType()))
          return std::nullopt;
        SmallVector<std::complex<APFloat>> numbers;
        for (std::complex<APFloat> x :
             attribute.getValues<std::complex<APFloat>>())
          numbers.emplace_back(widened(x.real()), widened(x.imag()));
        ShapedType type = attribute.getType().clone(ComplexType::get(f64));
        return std::make_pair(DenseElementsAttr::get(type, numbers),
                              WalkResult::skip());
      });
  return replacer;
}

bool isFloat(Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); }

bool isBitcast(Operation *op) {
  return isa<arith::BitcastOp, vector::BitCastOp, tensor::BitcastOp>(op);
}

/// Returns true if the op makes floating-point numbers of integers.
bool isBitcastToFloats(Operation *op) {
  return isBitcast(op) && !isFloat(op->getOperandTypes().front()) &&
         isFloat(op->getResultTypes().front());
}

/// Checks that the op means the same in f64.
LogicalResult checkPromotable(Operation *op) {
  // Resources that the module contains have been read before.
  if (llvm::any_of(op->getAttrs(), [](NamedAttribute attribute) {
        return isa<DenseResourceElementsAttr>(attribute.getValue());
      }))
    return op->emitOpError()
           << "uses a resource that the module does not have, or has in "
              "another size; print the module without "
              "'--mlir-elide-resource-strings-if-larger'";
  StringRef why;
  if (isBitcast(op) && isFloat(op->getOperandTypes().front()) &&
      op->getOperandTypes() != op->getResultTypes())
    why = "reads the bits of a floating-point number";
  else if (isa<memref::ViewOp>(op) && isFloat(op->getResultTypes().front()))
    why = "views bytes as floating-point numbers";
  else
    return success();
  return op->emitOpError() << why
                           << ", which a reference in f64 cannot reproduce; "
                              "name another reference by 'tonno.reference'";
}

/// Makes the number in its own type, whose bits these are, before it is f64:
///
///   %x = arith.bitcast %bits : i32 to f64
///
/// becomes
///
///   %y = arith.bitcast %bits : i32 to f32
///   %x = arith.extf %y : f32 to f64
void widenBits(Operation *op, Type own) {
  Value number = op->getResult(0);
  Type wide = number.getType();
  if (own == wide)
    return;
  number.setType(own);
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  auto widened = arith::ExtFOp::create(builder, op->getLoc(), wide, number);
  number.replaceAllUsesExcept(widened, widened);
}

/// Rounds to the type that the op had, whose rounding is not dropped:
///
///   %y = arith.truncf %x : f64 to f64
///
/// becomes
///
///   %n = arith.truncf %x : f64 to f8E5M2
///   %y = arith.extf %n : f8E5M2 to f64
void roundToOriginalType(arith::TruncFOp op, Type own) {
  OpBuilder builder(op);
  auto rounded =
      arith::TruncFOp::create(builder, op.getLoc(), own, op.getIn(),
                              op.getRoundingmodeAttr(), op.getFastmathAttr());
  Value number = rounded.getResult();
  Value wide = arith::ExtFOp::create(builder, op.getLoc(),
                                     op.getOut().getType(), number);
  op.getOut().replaceAllUsesWith(wide);
  op.erase();
}

struct PromoteToF64 : tonno::impl::PromoteToF64PassBase<PromoteToF64> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkOps(module, checkPromotable)))
      return signalPassFailure();

    module.walk([](Operation *op) {
      for (NamedAttribute attribute :
           llvm::to_vector(op->getDiscardableAttrs()))
        if (attribute.getName().getValue().starts_with("tonno."))
          op->removeDiscardableAttr(attribute.getName());
    });
    SmallVector<std::pair<Operation *, Type>> numbersOfBits;
    SmallVector<std::pair<arith::TruncFOp, Type>> roundings;
    for (arith::TruncFOp op : collectOpsIf(module, isIntermediateRounding))
      roundings.emplace_back(op, op.getType());
    module.walk([&](Operation *op) {
      if (isBitcastToFloats(op))
        numbersOfBits.emplace_back(op, op->getResultTypes().front());
    });
    makeReplacer(&getContext())
        .recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                      /*replaceLocs=*/false,
                                      /*replaceTypes=*/true);
    for (auto [op, type] : numbersOfBits)
      widenBits(op, type);
    for (auto [op, type] : roundings)
      roundToOriginalType(op, type);
    // Conversions between floating-point types have nothing left to convert.
    module.walk([](Operation *op) {
      if (!isa<arith::ExtFOp, arith::TruncFOp>(op) ||
          op->getOperandTypes() != op->getResultTypes())
        return;
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
    });
  }
};

} // namespace
