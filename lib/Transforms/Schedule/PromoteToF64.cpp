//===- PromoteToF64.cpp - Floating point without its rounding -------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"

namespace tonno {
#define GEN_PASS_DEF_PROMOTETOF64PASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;

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
  return replacer;
}

/// Why an op means something else in f64; empty if it does not.
StringRef whyNotPromotable(Operation *op) {
  if (isa<arith::BitcastOp, vector::BitCastOp, tensor::BitcastOp>(op) &&
      isa<FloatType>(getElementTypeOrSelf(op->getOperandTypes().front())) !=
          isa<FloatType>(getElementTypeOrSelf(op->getResultTypes().front())))
    return "reads the bits of a floating-point number";
  if (auto view = dyn_cast<memref::ViewOp>(op))
    if (isa<FloatType>(getElementTypeOrSelf(view.getType())))
      return "views bytes as floating-point numbers";
  bool hasResource = llvm::any_of(op->getAttrs(), [](NamedAttribute attribute) {
    auto resource = dyn_cast<DenseResourceElementsAttr>(attribute.getValue());
    return resource && isa<FloatType>(resource.getElementType());
  });
  return hasResource ? "takes floating-point numbers from a resource that the "
                       "module does not have"
                     : "";
}

struct PromoteToF64 : tonno::impl::PromoteToF64PassBase<PromoteToF64> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    WalkResult bits = module.walk([](Operation *op) {
      StringRef why = whyNotPromotable(op);
      if (why.empty())
        return WalkResult::advance();
      op->emitOpError() << why
                        << ", which a reference in f64 can't reproduce; give "
                           "the kernel another, as tonno.reference = @function";
      return WalkResult::interrupt();
    });
    if (bits.wasInterrupted())
      return signalPassFailure();

    module.walk([](Operation *op) {
      for (NamedAttribute attribute :
           llvm::to_vector(op->getDiscardableAttrs()))
        if (attribute.getName().getValue().starts_with("tonno."))
          op->removeDiscardableAttr(attribute.getName());
    });
    makeReplacer(&getContext())
        .recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                      /*replaceLocs=*/false,
                                      /*replaceTypes=*/true);
    // Conversions between floating-point types have nothing left to convert.
    module.walk([](Operation *op) {
      if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
        return;
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
    });
  }
};

} // namespace
