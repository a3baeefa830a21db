//===- Kernels that leave nothing open ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StrictKernel.h"

#include "tonno/Dialect/TonnoDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace tonno;

static Value powerOfTwo(OpBuilder &builder, Location loc, Type type,
                        unsigned exponent, bool isNegative) {
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  APFloat number(APFloat::IEEEdouble(), 1);
  number =
      scalbn(number, static_cast<int>(exponent), APFloat::rmNearestTiesToEven);
  bool loses = false; // f16 has infinity for it
  number.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &loses);
  if (isNegative)
    number.changeSign();
  return createScalarOrSplatConstant(builder, loc, type, number);
}

/// Whether the number, cut to an integer, is one of `width` bits. Those between
/// the least and that less one are left out.
static Value isHeld(OpBuilder &builder, Location loc, Value number,
                    unsigned width, bool isSigned) {
  unsigned exponent = isSigned ? width - 1 : width;
  auto compare = [&](arith::CmpFPredicate predicate, unsigned exponent,
                     bool isNegative) -> Value {
    return arith::CmpFOp::create(
        builder, loc, predicate, number,
        powerOfTwo(builder, loc, number.getType(), exponent, isNegative));
  };
  using enum arith::CmpFPredicate;
  Value isBelow = compare(OLT, exponent, false);
  Value isAbove =
      isSigned ? compare(OGE, exponent, true) : compare(OGT, 0, true);
  return arith::AndIOp::create(builder, loc, isBelow, isAbove);
}

void tonno::makeStrict(ModuleOp module) {
  module->setAttr(TonnoDialect::kStrict, UnitAttr::get(module.getContext()));
  SmallVector<Operation *> conversions;
  module.walk([&](Operation *op) {
    if (auto relaxed = dyn_cast<arith::ArithFastMathInterface>(op))
      op->setAttr(relaxed.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(op->getContext(),
                                                arith::FastMathFlags::none));
    if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
      conversions.push_back(op);
  });
  for (Operation *op : conversions) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Location loc = op->getLoc();
    Value result = op->getResult(0);
    unsigned width = getElementTypeOrSelf(result).getIntOrFloatBitWidth();
    Value held = isHeld(builder, loc, op->getOperand(0), width,
                        isa<arith::FPToSIOp>(op));
    // No machine gives this one.
    APInt number(width, 0x5A5A5A5A5A5A5A5A, /*isSigned=*/false,
                 /*implicitTrunc=*/true);
    Value other =
        createScalarOrSplatConstant(builder, loc, result.getType(), number);
    Value guarded = arith::SelectOp::create(builder, loc, held, result, other);
    result.replaceAllUsesExcept(guarded, guarded.getDefiningOp());
  }
}
