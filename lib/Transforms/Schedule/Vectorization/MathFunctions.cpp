//===- Expand math functions inline ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"

#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <cmath>
#include <numbers>

namespace tonno {
#define GEN_PASS_DEF_APPROXIMATEMATHPASS
#define GEN_PASS_DEF_LOWEREXTREMESPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

namespace {

/// e^r = 1 + r + r^2 (c0 + c1 r + ...), fitted for this over [-ln(2) / 2,
/// ln(2)]. For |r| <= ln(2) / 2 it is relatively off by at most 0.50 * 2^-24
/// (f32) and 0.11 * 2^-53 (f64); beyond, which only results in the upper half
/// of the largest binade need, by 1.4 * 2^-24 and 0.23 * 2^-53. Of ln(2) it is
/// 2 with and without fused operations, so that 2^128 is infinite.
struct Format {
  unsigned mantissaBits;
  double bias;
  double least; ///< of which the power of two is -bias, and the result 0
  /// Parts of ln(2), of which the first has exact products with any power n of
  /// two: after Cody and Waite for f32, as in fdlibm for f64.
  double ln2High, ln2Low;
  llvm::ArrayRef<double> coefficients;
};

} // namespace

static constexpr double singleCoefficients[] = {
    0x1.000044p-1, 0x1.5555f4p-3, 0x1.54fa58p-5, 0x1.11533ep-7, 0x1.a50250p-10};
static constexpr double doubleCoefficients[] = {
    0.5000000000000003,    0.16666666666665889,   0.04166666666663898,
    0.008333333333759758,  0.0013888888893618051, 0.00019841269032219028,
    2.4801588859326564e-5, 2.7557954712446855e-6, 2.7550133200533934e-7,
    2.4893689850058772e-8, 2.426779997284296e-9};
static constexpr Format singleFormat = {
    23, 127, -88, 0.693359375, -2.12194440e-4, singleCoefficients};
static constexpr Format doubleFormat = {52,
                                        1023,
                                        -709,
                                        6.93147180369123816490e-01,
                                        1.90821492927058770002e-10,
                                        doubleCoefficients};

static const Format *findFloatFormat(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (type != element && !isa<VectorType>(type))
    return nullptr;
  return element.isF32()   ? &singleFormat
         : element.isF64() ? &doubleFormat
                           : nullptr;
}

namespace {

/// Arithmetic on scalars or vectors of one type.
class Writer {
public:
  Writer(OpBuilder &builder, Location loc, Type type)
      : builder(loc, builder), type(type) {}

  Value constant(double value) {
    TypedAttr scalar = builder.getFloatAttr(getElementTypeOrSelf(type), value);
    return splat(type, scalar);
  }
  /// Returns a * b + c, fused where the chip can; `math.fma` might be a call.
  Value multiplyAdd(Value a, Value b, Value c) {
    auto contract = arith::FastMathFlagsAttr::get(
        builder.getContext(), arith::FastMathFlags::contract);
    Value product = arith::MulFOp::create(builder, a, b, contract);
    return arith::AddFOp::create(builder, product, c, contract);
  }
  /// Returns c0 + c1 x + ..., by Horner's rule.
  Value polynomial(ArrayRef<double> coefficients, Value x) {
    Value sum = constant(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = multiplyAdd(sum, x, constant(coefficient));
    return sum;
  }
  Value subtract(Value a, Value b) {
    return arith::SubFOp::create(builder, a, b);
  }
  Value multiply(Value a, Value b) {
    return arith::MulFOp::create(builder, a, b);
  }
  Value add(Value a, Value b) { return arith::AddFOp::create(builder, a, b); }
  Value divide(Value a, Value b, bool isApproximate) {
    return arith::DivFOp::create(builder, a, b,
                                 isApproximate ? arith::FastMathFlags::afn
                                               : arith::FastMathFlags::none);
  }
  Value maximum(Value a, Value b) {
    return arith::MaximumFOp::create(builder, a, b);
  }
  Value minimum(Value a, Value b) {
    return arith::MinimumFOp::create(builder, a, b);
  }
  /// Returns the larger of `value` and `bound`; NaN is kept.
  Value atLeast(Value value, Value bound) {
    return choose(arith::CmpFPredicate::OLT, value, bound);
  }
  Value atMost(Value value, Value bound) {
    return choose(arith::CmpFPredicate::OGT, value, bound);
  }
  /// Shifts the bits of `value` and returns them as a number.
  Value shiftBitsLeft(Value value, unsigned count) {
    Type integer = builder.getIntegerType(
        getElementTypeOrSelf(type).getIntOrFloatBitWidth());
    Type integers = integer;
    if (auto vector = dyn_cast<VectorType>(type))
      integers = vector.clone(integer);
    Value bits = arith::BitcastOp::create(builder, integers, value);
    Value places = splat(integers, builder.getIntegerAttr(integer, count));
    Value shifted = arith::ShLIOp::create(builder, bits, places);
    return arith::BitcastOp::create(builder, type, shifted);
  }

private:
  Value splat(Type of, TypedAttr scalar) {
    if (auto vector = dyn_cast<VectorType>(of))
      scalar = SplatElementsAttr::get(vector, scalar);
    return arith::ConstantOp::create(builder, scalar);
  }
  Value choose(arith::CmpFPredicate exceeds, Value value, Value bound) {
    Value beyond = arith::CmpFOp::create(builder, exceeds, value, bound);
    return arith::SelectOp::create(builder, beyond, bound, value);
  }

  ImplicitLocOpBuilder builder;
  Type type;
};

} // namespace

/// Expands `math.exp` and `math.exp2` of f32 and f64 into 13 or 14 operations,
/// 6 more on f64, without divisions, conversions or chip-specific instructions:
/// 2^n, by its bits, times e^r, a polynomial. NaN is kept, overflow gives
/// infinity, and results under about 0.7 times the smallest normal number
/// become 0.
template <typename Op>
static LogicalResult expand(Op op, PatternRewriter &rewriter) {
  constexpr bool isBinary = std::is_same_v<Op, math::Exp2Op>;
  const Format *format = findFloatFormat(op.getType());
  if (!format)
    return failure();
  Writer write(rewriter, op.getLoc(), op.getType());
  // Numbers of this size are whole, so a sum with it is rounded to whole
  // ones, and its last bits are n with the exponent's bias.
  double rounding = std::ldexp(1.5, int(format->mantissaBits)) + format->bias;
  Value offset = write.constant(rounding);
  // Clamps x, as -infinity has no remainder r. If n is clamped, r grows
  // instead.
  Value x =
      write.atLeast(op.getOperand(),
                    write.constant(isBinary ? -format->bias : format->least));
  Value sum =
      isBinary
          ? write.add(x, offset)
          : write.multiplyAdd(x, write.constant(llvm::numbers::log2e), offset);
  sum = write.atMost(sum, write.constant(rounding + format->bias));
  Value n = write.subtract(sum, offset);
  Value r;
  if (isBinary) {
    r = write.multiply(write.subtract(x, n),
                       write.constant(llvm::numbers::ln2));
  } else {
    r = write.multiplyAdd(n, write.constant(-format->ln2High), x);
    r = write.multiplyAdd(n, write.constant(-format->ln2Low), r);
  }
  Value power = write.polynomial(format->coefficients, r);
  Value one = write.constant(1);
  power = write.multiplyAdd(power, r, one);
  power = write.multiplyAdd(power, r, one);
  Value scale = write.shiftBitsLeft(sum, format->mantissaBits);
  // With `contract`, the product may be fused with a sum that uses it.
  auto contract = arith::FastMathFlagsAttr::get(
      rewriter.getContext(), op.getFastmath() & arith::FastMathFlags::contract);
  rewriter.replaceOpWithNewOp<arith::MulFOp>(op, power, scale, contract);
  return success();
}

/// Returns true if an exponential needs no more than about 16 bits.
template <typename Op> static bool isRounded(Op op) {
  if (findFloatFormat(op.getType()) != &singleFormat)
    return false;
  auto isNarrowing = [](Operation *user) {
    return isa<arith::TruncFOp>(user) &&
           getElementTypeOrSelf(user->getResult(0)).getIntOrFloatBitWidth() <=
               16;
  };
  return bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn) ||
         llvm::all_of(op->getUsers(), isNarrowing);
}

/// e^x = 2^(x log2(e)), whose relative error is about 2^-24 |x log2(e)|: below
/// 2^-16 where 2^y is a normal f32.
template <typename Op>
static LogicalResult useNative(Op op, PatternRewriter &rewriter) {
  constexpr bool isBinary = std::is_same_v<Op, math::Exp2Op>;
  auto afn = arith::FastMathFlags::afn;
  if (isBinary && bitEnumContainsAll(op.getFastmath(), afn))
    return failure();
  Value exponent = op.getOperand();
  if (!isBinary) {
    Writer write(rewriter, op.getLoc(), op.getType());
    exponent = write.multiply(exponent, write.constant(llvm::numbers::log2e));
  }
  rewriter.replaceOpWithNewOp<math::Exp2Op>(op, exponent,
                                            op.getFastmath() | afn);
  return success();
}

namespace {

template <typename Op> struct ExpandExponential : OpRewritePattern<Op> {
  ExpandExponential(MLIRContext *context, bool native)
      : OpRewritePattern<Op>(context), native(native) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    return native && isRounded(op) ? useNative(op, rewriter)
                                   : expand(op, rewriter);
  }

private:
  bool native; ///< the chip has an instruction for powers of two
};

/// erf(x) = x P(x^2) / Q(x^2) for |x| <= 3.84, where it is 1 - 2^-24 in f32:
/// fitted for the least relative error, 0.68 * 2^-24, by weighted least
/// squares. With its rounding errors it is off by at most 5.6 units in the last
/// place.
struct ExpandErf : OpRewritePattern<math::ErfOp> {
  ExpandErf(MLIRContext *context, bool native)
      : OpRewritePattern(context), native(native) {}

  LogicalResult matchAndRewrite(math::ErfOp op,
                                PatternRewriter &rewriter) const override {
    static constexpr double most = 3.84;
    static constexpr double numerator[] = {
        0x1.20dd74p+0,  0x1.8b6372p-3,   0x1.96f688p-5, 0x1.c19092p-9,
        0x1.1f76b2p-13, -0x1.0a2474p-19, 0x1.669cc2p-26};
    static constexpr double denominator[] = {
        0x1p+0, 0x1.024456p-1, 0x1.cb78e4p-4, 0x1.c3a534p-7, 0x1.d5aafap-11};
    if (findFloatFormat(op.getType()) != &singleFormat)
      return failure();
    Writer write(rewriter, op.getLoc(), op.getType());
    auto clamp = [&](Value value, double bound) {
      Value low = write.constant(-bound), high = write.constant(bound);
      if (native)
        return write.minimum(write.maximum(value, low), high);
      return write.atMost(write.atLeast(value, low), high);
    };
    Value x = clamp(op.getOperand(), most);
    Value square = write.multiply(x, x);
    Value quotient = write.divide(
        write.multiply(x, write.polynomial(numerator, square)),
        write.polynomial(denominator, square), /*isApproximate=*/native);
    rewriter.replaceOp(op, clamp(quotient, 1));
    return success();
  }

private:
  bool native; ///< the chip has instructions for extremes and reciprocals
};

} // namespace

/// Scales subnormal arguments of logarithms by 2^23 and subtracts 23 binary
/// places: upstream's expansion treats them as the least normal number.
static void scaleSubnormal(Operation *op) {
  constexpr int places = 23;
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  Value number = op->getOperand(0);
  auto constant = [&](double value) {
    Type type = number.getType();
    FloatAttr scalar = builder.getFloatAttr(getElementTypeOrSelf(type), value);
    return createScalarOrSplatConstant(builder, op->getLoc(), type,
                                       scalar.getValue());
  };
  double least =
      APFloat::getSmallestNormalized(APFloat::IEEEsingle()).convertToDouble();
  Value isSubnormal = arith::CmpFOp::create(builder, arith::CmpFPredicate::OLT,
                                            number, constant(least));
  Value larger =
      arith::MulFOp::create(builder, number, constant(std::ldexp(1, places)));
  op->setOperand(0,
                 arith::SelectOp::create(builder, isSubnormal, larger, number));
  builder.setInsertionPointAfter(op);
  Value result = op->getResult(0);
  double logarithm =
      isa<math::Log2Op>(op) ? places : places * std::numbers::ln2;
  Value less = arith::SubFOp::create(builder, result, constant(logarithm));
  Value chosen = arith::SelectOp::create(builder, isSubnormal, less, result);
  result.replaceUsesWithIf(chosen, [&](OpOperand &use) {
    return use.getOwner() != less.getDefiningOp() &&
           use.getOwner() != chosen.getDefiningOp();
  });
}

namespace {

struct ApproximateMath : tonno::impl::ApproximateMathPassBase<ApproximateMath> {
  using ApproximateMathPassBase::ApproximateMathPassBase;

  void runOnOperation() override {
    for (Operation *op : collectOps<Operation *>(getOperation()))
      if (isa<math::LogOp, math::Log2Op>(op) &&
          getElementTypeOrSelf(op->getResult(0)).isF32())
        scaleSubnormal(op);
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExponential<math::ExpOp>,
                 ExpandExponential<math::Exp2Op>, ExpandErf>(&getContext(),
                                                             native);
    // Excludes sin and cos, whose argument reduction is not accurate enough.
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return llvm::is_contained(
          {math::ExpM1Op::getOperationName(), math::LogOp::getOperationName(),
           math::Log2Op::getOperationName(), math::Log1pOp::getOperationName(),
           math::TanhOp::getOperationName(), math::ErfcOp::getOperationName()},
          name);
    });
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

static bool isNative(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF32() || element.isF64();
}

/// x86 gives the second operand where one is NaN or both are equal, so this is
/// one instruction if `second` is never NaN: `first` beats it, or not.
template <typename Op>
static constexpr arith::CmpFPredicate beats =
    std::is_same_v<Op, arith::MaximumFOp> ? arith::CmpFPredicate::OGT
                                          : arith::CmpFPredicate::OLT;

template <typename Op>
static LogicalResult lowerExtreme(Op op, PatternRewriter &rewriter) {
  if (!isNative(op.getType()))
    return failure();
  ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
  // An extreme that may be contracted compares what is not rounded.
  auto compare = [&](arith::CmpFPredicate predicate, Value one, Value other) {
    auto comparison = arith::CmpFOp::create(builder, predicate, one, other);
    comparison.setFastmath(op.getFastmath() & arith::FastMathFlags::contract);
    return comparison.getResult();
  };
  auto better = [&](Value first, Value second) -> Value {
    Value isFirst = compare(beats<Op>, first, second);
    return arith::SelectOp::create(builder, isFirst, first, second);
  };
  bool ignoresSigns =
      bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::nsz);
  Value first = op.getLhs(), second = op.getRhs();
  APFloat constant(0.0);
  if (matchPattern(first, m_ConstantFloat(&constant)))
    std::swap(first, second);
  if (matchPattern(second, m_ConstantFloat(&constant)) && !constant.isNaN() &&
      (ignoresSigns || !constant.isZero())) {
    rewriter.replaceOp(op, better(second, first));
    return success();
  }
  if (!ignoresSigns)
    return failure();
  // The loop-carried operand is second, as it is available last.
  if (isa<BlockArgument>(first))
    std::swap(first, second);
  Value isNaN = compare(arith::CmpFPredicate::UNO, first, first);
  rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isNaN, first,
                                               better(first, second));
  return success();
}

/// Computes an extreme of bf16 in f32, which is exact, so that a chain stays in
/// vectors of f32:
///
///   %r = arith.maximumf %a, %b : bf16
///
/// becomes
///
///   %x = arith.extf %a fastmath<contract> : bf16 to f32
///   %y = arith.extf %b fastmath<contract> : bf16 to f32
///   %s = arith.maximumf %x, %y : f32
///   %r = arith.truncf %s fastmath<contract> : f32 to bf16
template <typename Op>
static LogicalResult widenExtreme(Op op, PatternRewriter &rewriter) {
  Type type = op.getType(), wide = rewriter.getF32Type();
  if (!getElementTypeOrSelf(type).isBF16())
    return failure();
  if (auto shaped = dyn_cast<ShapedType>(type))
    wide = shaped.clone(wide);
  ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
  auto contract = arith::FastMathFlagsAttr::get(builder.getContext(),
                                                arith::FastMathFlags::contract);
  auto extend = [&](Value value) {
    return builder.createOrFold<arith::ExtFOp>(wide, value, contract);
  };
  Value extreme = Op::create(builder, extend(op.getLhs()), extend(op.getRhs()),
                             op.getFastmathAttr());
  rewriter.replaceOpWithNewOp<arith::TruncFOp>(
      op, type, extreme, arith::RoundingModeAttr(), contract);
  return success();
}

/// Computes a reduction to an extreme of bf16 in f32, which is exact.
static LogicalResult widenReduction(vector::ReductionOp op,
                                    PatternRewriter &rewriter) {
  Type type = op.getDest().getType();
  if (!type.isBF16() || (op.getKind() != vector::CombiningKind::MAXIMUMF &&
                         op.getKind() != vector::CombiningKind::MINIMUMF))
    return failure();
  ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
  auto contract = arith::FastMathFlagsAttr::get(builder.getContext(),
                                                arith::FastMathFlags::contract);
  Type wide = rewriter.getF32Type();
  Value numbers = builder.createOrFold<arith::ExtFOp>(
      op.getSourceVectorType().clone(wide), op.getVector(), contract);
  Value found = op.getAcc();
  if (found)
    found = builder.createOrFold<arith::ExtFOp>(wide, found, contract);
  Value extreme = vector::ReductionOp::create(builder, op.getKind(), numbers,
                                              found, op.getFastmath());
  rewriter.replaceOpWithNewOp<arith::TruncFOp>(
      op, type, extreme, arith::RoundingModeAttr(), contract);
  return success();
}

/// Tests all elements of the vector for NaN in one comparison, not in each
/// step.
static LogicalResult lowerReduction(vector::ReductionOp op,
                                    PatternRewriter &rewriter) {
  bool isMaximum = op.getKind() == vector::CombiningKind::MAXIMUMF;
  if (!isMaximum && op.getKind() != vector::CombiningKind::MINIMUMF)
    return failure();
  auto type = dyn_cast<FloatType>(op.getDest().getType());
  arith::FastMathFlags flags = op.getFastmath();
  if (!type || !isNative(type) ||
      bitEnumContainsAll(flags, arith::FastMathFlags::nnan))
    return failure();
  ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
  Value numbers = op.getVector();
  Value areNaN = arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO,
                                       numbers, numbers);
  Value isNaN =
      vector::ReductionOp::create(builder, vector::CombiningKind::OR, areNaN);
  Value best = vector::ReductionOp::create(builder, op.getKind(), numbers,
                                           flags | arith::FastMathFlags::nnan);
  Value nan = arith::ConstantOp::create(
      builder,
      rewriter.getFloatAttr(type, APFloat::getNaN(type.getFloatSemantics())));
  Value result = arith::SelectOp::create(builder, isNaN, nan, best);
  if (Value found = op.getAcc())
    result = vector::makeArithReduction(
        builder, op.getLoc(), op.getKind(), result, found,
        arith::FastMathFlagsAttr::get(rewriter.getContext(), flags));
  rewriter.replaceOp(op, result);
  return success();
}

namespace {

struct LowerExtremes : tonno::impl::LowerExtremesPassBase<LowerExtremes> {
  using LowerExtremesPassBase::LowerExtremesPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    if (widensBf16) {
      patterns.add(widenExtreme<arith::MaximumFOp>);
      patterns.add(widenExtreme<arith::MinimumFOp>);
    }
    patterns.add(lowerExtreme<arith::MaximumFOp>);
    patterns.add(lowerExtreme<arith::MinimumFOp>);
    patterns.add(widenReduction);
    patterns.add(lowerReduction);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
