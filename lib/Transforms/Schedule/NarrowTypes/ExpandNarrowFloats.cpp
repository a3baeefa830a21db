//===- Emulate floats of up to 8 bits -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tonno {
#define GEN_PASS_DEF_EXPANDNARROWFLOATSPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Returns the type if its elements are floats of up to 8 bits, else null.
static FloatType getNarrowFloat(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && element.getWidth() <= 8 ? element : nullptr;
}

/// Returns `type` with other elements.
static Type withElements(Type type, Type element) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? Type(shaped.clone(element)) : element;
}

namespace {

/// Parameters of a float format of up to 8 bits.
struct NarrowFormat {
  explicit NarrowFormat(FloatType type)
      : width(type.getWidth()),
        fractionBits(APFloat::semanticsPrecision(type.getFloatSemantics()) - 1),
        lowestExponent(APFloat::semanticsMinExponent(type.getFloatSemantics())),
        largest(APFloat::getLargest(type.getFloatSemantics())
                    .bitcastToAPInt()
                    .getZExtValue()),
        isUnsigned(isa<Float8E8M0FNUType>(type)),
        hasInfinity(APFloat::semanticsHasInf(type.getFloatSemantics())),
        hasNan(APFloat::semanticsHasNaN(type.getFloatSemantics())),
        hasNanForZero(
            isa<Float8E4M3FNUZType, Float8E5M2FNUZType, Float8E4M3B11FNUZType>(
                type)) {
    if (hasNan)
      nan = APFloat::getQNaN(type.getFloatSemantics())
                .bitcastToAPInt()
                .getZExtValue();
    if (hasInfinity)
      overflow = APFloat::getInf(type.getFloatSemantics())
                     .bitcastToAPInt()
                     .getZExtValue();
    else
      overflow = hasNan ? nan : largest;
  }

  uint64_t signBit() const { return uint64_t(1) << (width - 1); }

  unsigned width, fractionBits;
  int lowestExponent; ///< of normal numbers
  uint64_t largest;   ///< bits of the largest number
  bool isUnsigned;    ///< exponent only
  bool hasInfinity;
  bool hasNan;
  bool hasNanForZero; ///< the bits of -0 are the only NaN
  uint64_t nan = 0;   ///< bits of a positive NaN; 0 without one
  uint64_t overflow;  ///< bits of the result on overflow
};

/// Creates arithmetic on integers of one width, or vectors of them.
class BitBuilder {
public:
  BitBuilder(OpBuilder &builder, Location loc, Type shape, unsigned width)
      : builder(builder), loc(loc), shape(shape), width(width) {}

  Type type() const {
    return withElements(shape, builder.getIntegerType(width));
  }
  Type floatType() const {
    return withElements(shape, width == 64 ? Type(builder.getF64Type())
                                           : Type(builder.getF32Type()));
  }
  Value constant(uint64_t number) {
    return createScalarOrSplatConstant(
        builder, loc, type(),
        APInt(width, number, /*isSigned=*/false, /*implicitTrunc=*/true));
  }
  Value number(double value) {
    APFloat real(value);
    bool isInexact = false;
    if (width == 32)
      real.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                   &isInexact);
    return createScalarOrSplatConstant(builder, loc, floatType(), real);
  }
  Value add(Value a, Value b) { return make<arith::AddIOp>(a, b); }
  Value sub(Value a, Value b) { return make<arith::SubIOp>(a, b); }
  Value both(Value a, Value b) { return make<arith::AndIOp>(a, b); }
  Value either(Value a, Value b) { return make<arith::OrIOp>(a, b); }
  Value left(Value a, unsigned by) {
    return make<arith::ShLIOp>(a, constant(by));
  }
  Value right(Value a, unsigned by) {
    return make<arith::ShRUIOp>(a, constant(by));
  }
  Value compare(arith::CmpIPredicate predicate, Value a, uint64_t b) {
    return make<arith::CmpIOp>(predicate, a, constant(b));
  }
  Value select(Value condition, Value a, Value b) {
    return make<arith::SelectOp>(condition, a, b);
  }
  Value asFloat(Value bits) {
    return make<arith::BitcastOp>(floatType(), bits);
  }
  Value asBits(Value real) { return make<arith::BitcastOp>(type(), real); }

  template <typename Op, typename... Args> Value make(Args &&...args) {
    return Op::create(builder, loc, std::forward<Args>(args)...);
  }

private:
  OpBuilder &builder;
  Location loc;
  Type shape;
  unsigned width;
};

using enum arith::CmpIPredicate;

constexpr unsigned singleFraction = 23, singleBias = 127;
constexpr uint64_t singleInfinity = 0x7F800000, singleNan = 0x7FC00000;

} // namespace

/// Returns the f32 with the value of such bits, which are i32.
static Value extendBits(BitBuilder &b, Value bits, const NarrowFormat &format) {
  if (format.isUnsigned) {
    // 2^-127 is subnormal.
    Value least = b.constant(uint64_t(1) << (singleFraction - 1));
    Value result =
        b.select(b.compare(eq, bits, 0), least, b.left(bits, singleFraction));
    return b.asFloat(b.select(b.compare(eq, bits, format.nan),
                              b.constant(singleNan), result));
  }
  Value magnitude = b.both(bits, b.constant(format.signBit() - 1));
  unsigned shift = singleFraction - format.fractionBits;
  uint64_t bias = uint64_t(int(singleBias) + format.lowestExponent - 1);
  Value normal =
      b.add(b.left(magnitude, shift), b.constant(bias << singleFraction));
  // Avoids a subnormal f32 operand, which the chip may flush to 0.
  Value count = b.make<arith::SIToFPOp>(b.floatType(), magnitude);
  Value step = b.number(
      std::ldexp(1.0, format.lowestExponent - int(format.fractionBits)));
  Value subnormal = b.asBits(b.make<arith::MulFOp>(count, step));
  Value result =
      b.select(b.compare(ult, magnitude, uint64_t(1) << format.fractionBits),
               subnormal, normal);
  if (format.hasInfinity)
    result = b.select(
        b.compare(ugt, magnitude, format.largest),
        b.either(b.left(magnitude, shift), b.constant(singleInfinity)), result);
  else if (format.hasNan && !format.hasNanForZero)
    result = b.select(b.compare(ugt, magnitude, format.largest),
                      b.constant(singleNan), result);
  Value sign =
      b.left(b.both(bits, b.constant(format.signBit())), 32 - format.width);
  result = b.either(result, sign);
  if (format.hasNanForZero)
    result = b.select(b.compare(eq, bits, format.nan), b.constant(singleNan),
                      result);
  return b.asFloat(result);
}

/// Returns the bits of the power of two that is nearest to a number, as
/// integers as wide as it; of two, of the larger one.
static Value roundToExponent(BitBuilder &b, Value bits, unsigned width,
                             const NarrowFormat &format) {
  unsigned fraction = width == 64 ? 52 : singleFraction;
  uint64_t bias = width == 64 ? 1023 : singleBias;
  uint64_t infinity = width == 64 ? 0x7FF0000000000000 : singleInfinity;
  uint64_t signBit = uint64_t(1) << (width - 1);
  Value magnitude = b.both(bits, b.constant(signBit - 1));
  Value half = b.constant(uint64_t(1) << (fraction - 1));
  Value rounded = b.sub(b.right(b.add(magnitude, half), fraction),
                        b.constant(bias - singleBias));
  // 2^-127 is 0, above 1.5 times which comes 1. In f32 both are subnormal.
  uint64_t least = width == 64 ? (bias - singleBias) << fraction
                               : uint64_t(1) << (fraction - 1);
  uint64_t second = least + (uint64_t(1) << (fraction - (width == 64 ? 1 : 2)));
  Value small =
      b.select(b.compare(ult, magnitude, second), b.constant(0), b.constant(1));
  uint64_t secondPower = (bias - singleBias + 1) << fraction;
  Value result =
      b.select(b.compare(ult, magnitude, secondPower), small, rounded);
  Value isNan = b.either(b.compare(ugt, result, format.largest),
                         b.compare(uge, magnitude, infinity));
  Value isNegative = b.compare(ugt, bits, signBit);
  return b.select(b.either(isNan, isNegative), b.constant(format.nan), result);
}

/// Returns the bits that a number has after rounding, as integers as wide as
/// it. `real` is an f32 or f64, `bits` are its bits.
static Value roundBits(BitBuilder &b, Value real, unsigned width,
                       const NarrowFormat &format) {
  Value bits = b.asBits(real);
  if (format.isUnsigned)
    return roundToExponent(b, bits, width, format);
  unsigned fraction = width == 64 ? 52 : singleFraction;
  int bias = width == 64 ? 1023 : int(singleBias);
  uint64_t infinity = width == 64 ? 0x7FF0000000000000 : singleInfinity;
  uint64_t signBit = uint64_t(1) << (width - 1);
  Value magnitude = b.both(bits, b.constant(signBit - 1));
  unsigned dropped = fraction - format.fractionBits;
  Value odd = b.both(b.right(magnitude, dropped), b.constant(1));
  Value nearly = b.add(
      b.add(magnitude, b.constant((uint64_t(1) << (dropped - 1)) - 1)), odd);
  Value normal = b.sub(b.right(nearly, dropped),
                       b.constant(uint64_t(bias + format.lowestExponent - 1)
                                  << format.fractionBits));
  // Adds a number whose last bit equals the least subnormal, so that the sum is
  // rounded there.
  int exponent =
      format.lowestExponent - int(format.fractionBits) + int(fraction);
  uint64_t raised = uint64_t(bias + exponent) << fraction;
  Value sum = b.make<arith::AddFOp>(b.asFloat(magnitude),
                                    b.number(std::ldexp(1.0, exponent)));
  Value subnormal = b.sub(b.asBits(sum), b.constant(raised));
  uint64_t leastNormal = uint64_t(bias + format.lowestExponent) << fraction;
  Value result =
      b.select(b.compare(ult, magnitude, leastNormal), subnormal, normal);
  Value isLarge = b.compare(ugt, result, format.largest);
  Value isNan = b.compare(ugt, magnitude, infinity);
  result = b.select(isLarge, b.constant(format.overflow), result);
  result = b.select(isNan, b.constant(format.nan), result);
  Value sign =
      b.both(b.right(bits, width - format.width), b.constant(format.signBit()));
  if (!format.hasNanForZero)
    return b.either(result, sign);
  // NaN has the sign already.
  Value isZero = b.compare(eq, result, 0);
  return b.select(isZero, result, b.either(result, sign));
}

static Value replaceExtension(OpBuilder &builder, Location loc, Value narrow,
                              Type to);

/// Returns a number rounded to a narrow type.
static Value replaceRounding(OpBuilder &builder, Location loc, Value real,
                             Type to) {
  Type element = getElementTypeOrSelf(real);
  auto single = withElements(to, builder.getF32Type());
  if (getNarrowFloat(element))
    real = replaceExtension(builder, loc, real, single);
  else if (element.getIntOrFloatBitWidth() < 32)
    real = arith::ExtFOp::create(builder, loc, single, real);
  unsigned width = getElementTypeOrSelf(real).getIntOrFloatBitWidth();
  NarrowFormat format(getNarrowFloat(to));
  BitBuilder b(builder, loc, to, width);
  Value bits = roundBits(b, real, width, format);
  Type narrow = withElements(to, builder.getIntegerType(format.width));
  return arith::BitcastOp::create(
      builder, loc, to, arith::TruncIOp::create(builder, loc, narrow, bits));
}

/// Returns the number of a narrow type in a wider one.
static Value replaceExtension(OpBuilder &builder, Location loc, Value narrow,
                              Type to) {
  NarrowFormat format(getNarrowFloat(narrow.getType()));
  BitBuilder b(builder, loc, to, 32);
  Value bits = arith::BitcastOp::create(
      builder, loc, withElements(to, builder.getIntegerType(format.width)),
      narrow);
  Value single = extendBits(
      b, arith::ExtUIOp::create(builder, loc, b.type(), bits), format);
  Type element = getElementTypeOrSelf(to);
  if (element.isF32())
    return single;
  if (getNarrowFloat(element))
    return replaceRounding(builder, loc, single, to);
  if (element.getIntOrFloatBitWidth() < 32)
    return arith::TruncFOp::create(builder, loc, to, single);
  return arith::ExtFOp::create(builder, loc, to, single);
}

/// Makes a constant of the bits:
///
///   %x = arith.constant 1.0 : f8E5M2
///
/// becomes
///
///   %bits = arith.constant 60 : i8
///   %x = arith.bitcast %bits : i8 to f8E5M2
static void replaceConstant(arith::ConstantOp op) {
  auto toBits = [](const APFloat &value) { return value.bitcastToAPInt(); };
  OpBuilder builder(op);
  Type integer =
      builder.getIntegerType(getNarrowFloat(op.getType()).getWidth());
  TypedAttr bits;
  if (auto number = dyn_cast<FloatAttr>(op.getValue()))
    bits = builder.getIntegerAttr(integer, toBits(number.getValue()));
  else if (auto numbers = dyn_cast<DenseFPElementsAttr>(op.getValue()))
    bits = cast<TypedAttr>(Attribute(numbers.mapValues(integer, toBits)));
  else
    return;
  Value constant = arith::ConstantOp::create(builder, op.getLoc(), bits);
  op.replaceAllUsesWith(
      arith::BitcastOp::create(builder, op.getLoc(), op.getType(), constant)
          .getResult());
  op.erase();
}

/// Rewrites arithmetic on narrow floats to f32, by upstream's patterns.
static LogicalResult computeInF32(Operation *root) {
  MLIRContext *context = root->getContext();
  SmallVector<Type> narrow = {
      Float8E4M3FNType::get(context), Float8E5M2Type::get(context),
      Float8E4M3FNUZType::get(context), Float8E5M2FNUZType::get(context),
      Float8E8M0FNUType::get(context), Float6E2M3FNType::get(context),
      Float6E3M2FNType::get(context), Float4E2M1FNType::get(context),
      // Buffers can't have these element types, but a kernel may compute in
      // them.
      Float8E4M3Type::get(context), Float8E3M4Type::get(context),
      Float8E4M3B11FNUZType::get(context)};
  TypeConverter converter;
  arith::populateEmulateUnsupportedFloatsConversions(converter, narrow,
                                                     Float32Type::get(context));
  RewritePatternSet patterns(context);
  arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
  ConversionTarget target(*context);
  arith::populateEmulateUnsupportedFloatsLegality(target, converter);
  return applyPartialConversion(root, target, std::move(patterns));
}

namespace {

struct ExpandNarrowFloats
    : tonno::impl::ExpandNarrowFloatsPassBase<ExpandNarrowFloats> {
  void runOnOperation() override {
    Operation *root = getOperation();
    bool hasAny = anyOp(root, [](Operation *op) {
      return llvm::any_of(op->getOperandTypes(), getNarrowFloat) ||
             llvm::any_of(op->getResultTypes(), getNarrowFloat);
    });
    if (!hasAny)
      return;
    if (failed(computeInF32(root)) ||
        failed(checkOps(root, [](arith::TruncFOp op) {
          auto mode = op.getRoundingmode();
          if (!getNarrowFloat(op.getType()) || !mode ||
              *mode == arith::RoundingMode::to_nearest_even)
            return success();
          return LogicalResult(
              op.emitOpError()
              << "rounds to " << op.getType() << " by "
              << arith::stringifyRoundingMode(*mode)
              << "; floats of up to 8 bits support only to_nearest_even");
        })))
      return signalPassFailure();
    OpBuilder builder(&getContext());
    for (Operation *op : collectOpsIf(root, [](Operation *op) {
           return isa<arith::ExtFOp, arith::TruncFOp>(op) &&
                  (getNarrowFloat(op->getOperand(0).getType()) ||
                   getNarrowFloat(op->getResult(0).getType()));
         })) {
      builder.setInsertionPoint(op);
      Type to = op->getResult(0).getType();
      Value result =
          isa<arith::ExtFOp>(op)
              ? replaceExtension(builder, op->getLoc(), op->getOperand(0), to)
              : replaceRounding(builder, op->getLoc(), op->getOperand(0), to);
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    }
    for (arith::ConstantOp op : collectOpsIf(root, [](arith::ConstantOp op) {
           return bool(getNarrowFloat(op.getType()));
         }))
      replaceConstant(op);
  }
};

} // namespace
