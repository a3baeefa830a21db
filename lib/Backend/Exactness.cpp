//===- Exactness of kernels -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Exactness.h"
#include "tonno/Backend/Backend.h"
#include "tonno/Dialect/ElementTypes.h"
#include "tonno/Dialect/LoopRoles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <functional>

using namespace mlir;
using namespace tonno;

/// Returns the value of a constant, or of the global that an op gets; null for
/// other ops.
static Attribute findConstant(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return constant.getValue();
  auto get = dyn_cast<memref::GetGlobalOp>(op);
  auto global = get ? SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
                          op, get.getNameAttr())
                    : nullptr;
  return global && !global.isUninitialized() ? global.getInitialValueAttr()
                                             : nullptr;
}

/// Checks the numbers of a FloatAttr or DenseFPElementsAttr.
static bool allReals(Attribute constant,
                     function_ref<bool(const APFloat &)> holds) {
  if (auto number = dyn_cast<FloatAttr>(constant))
    return holds(number.getValue());
  return llvm::all_of(cast<DenseFPElementsAttr>(constant).getValues<APFloat>(),
                      holds);
}

/// Returns true if all numbers of a constant are integers or infinities.
static bool isIntegral(Attribute constant) {
  auto integral = [](const APFloat &value) {
    return value.isInfinity() || value.isInteger();
  };
  if (isa<FloatAttr, DenseFPElementsAttr>(constant))
    return allReals(constant, integral);
  return isa<IntegerAttr, DenseIntElementsAttr>(constant);
}

/// Checks for dialects whose ops only move values or control the flow.
static bool isFromDataMovementDialect(Operation *op) {
  return llvm::is_contained({"affine", "bufferization", "cf", "func", "memref",
                             "scf", "tensor", "ub"},
                            op->getName().getDialectNamespace());
}

template <typename Predicate>
static bool allTypes(Operation *op, Predicate holds) {
  auto element = [&](Type type) { return holds(getElementTypeOrSelf(type)); };
  return llvm::all_of(op->getOperandTypes(), element) &&
         llvm::all_of(op->getResultTypes(), element);
}

/// Returns true if an op of arith or math maps integers to integers. Excludes
/// truncation to narrower floating-point types, which the f64 reference does
/// not perform. Ops on integer types are computed identically by the reference.
static bool isExactArithmetic(Operation *op) {
  if (allTypes(op, [](Type type) { return type.isIntOrIndex(); }))
    return true;
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp,
             arith::MinimumFOp, arith::MinNumFOp, arith::MaximumFOp,
             arith::MaxNumFOp, arith::CmpFOp, arith::SelectOp, arith::ExtFOp,
             arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp,
             math::AbsFOp, math::FmaOp, math::FloorOp, math::CeilOp,
             math::TruncOp, math::RoundOp, math::RoundEvenOp>(op);
}

static bool isExactOp(Operation *op) {
  if (Attribute constant = findConstant(op))
    return isIntegral(constant);
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "linalg")
    return isa<linalg::LinalgOp, linalg::YieldOp, linalg::IndexOp>(op);
  if (dialect == "vector")
    return !isa<vector::BitCastOp, vector::PrintOp>(op);
  if (dialect == "arith" || dialect == "math")
    return isExactArithmetic(op);
  return dialect == "index" || isFromDataMovementDialect(op);
}

/// Returns true if all numbers of a constant are finite and not negative.
static bool isNotNegative(Attribute constant) {
  auto holds = [](const APFloat &value) {
    return value.isFinite() && !value.isNegative();
  };
  auto integerHolds = [](const APInt &value) { return !value.isNegative(); };
  if (isa<FloatAttr, DenseFPElementsAttr>(constant))
    return allReals(constant, holds);
  if (auto number = dyn_cast<IntegerAttr>(constant))
    return number.getType().isIndex() || integerHolds(number.getValue());
  if (auto numbers = dyn_cast<DenseIntElementsAttr>(constant))
    return llvm::all_of(numbers.getValues<APInt>(), integerHolds);
  return false;
}

/// Returns how an op combines the elements of vectors, if it does.
static std::optional<vector::CombiningKind> combiningKind(Operation *op) {
  using Kind = std::optional<vector::CombiningKind>;
  return llvm::TypeSwitch<Operation *, Kind>(op)
      .Case<vector::ReductionOp, vector::MultiDimReductionOp,
            vector::ContractionOp, vector::OuterProductOp, vector::ScanOp>(
          [](auto combining) { return combining.getKind(); })
      .Default(std::nullopt);
}

static bool isSum(std::optional<vector::CombiningKind> kind) {
  return !kind || *kind == vector::CombiningKind::ADD ||
         *kind == vector::CombiningKind::MUL ||
         *kind == vector::CombiningKind::MAXIMUMF ||
         *kind == vector::CombiningKind::MAXNUMF;
}

/// Returns true if an exact op only moves, adds, multiplies or takes the
/// maximum: the result on the operands' magnitudes bounds every result.
static bool isMonotonicOp(Operation *op) {
  if (Attribute constant = findConstant(op))
    return isNotNegative(constant);
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "vector")
    return isExactOp(op) && isSum(combiningKind(op));
  if (dialect != "arith" && dialect != "math")
    return isExactOp(op);
  // Positions are no magnitudes.
  bool isPosition = allTypes(
      op, [](Type type) { return type.isIndex() || type.isInteger(1); });
  return isPosition ||
         isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MulIOp,
             arith::MaximumFOp, arith::MaxNumFOp, math::FmaOp, arith::ExtFOp,
             arith::IndexCastOp, arith::IndexCastUIOp>(op);
}

bool tonno::anyOp(Operation *root, function_ref<bool(Operation *)> holds) {
  return root
      ->walk([&](Operation *op) {
        return holds(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool allOps(func::FuncOp function, bool (*holds)(Operation *)) {
  return !anyOp(function, std::not_fn(holds));
}

bool tonno::isExact(func::FuncOp function) {
  return allOps(function, isExactOp);
}

bool tonno::isSumOfProducts(func::FuncOp function) {
  return isExact(function) && allOps(function, isMonotonicOp);
}

/// Returns true if an op multiplies numbers, neither of them a constant.
static bool isProduct(Operation *op) {
  return isa<arith::MulFOp, math::FmaOp, vector::FMAOp, vector::ContractionOp,
             vector::OuterProductOp>(op) &&
         llvm::none_of(op->getOperands().take_front(2), [](Value factor) {
           return matchPattern(factor, m_Constant());
         });
}

/// Returns true if an op's products are the terms of a sum.
static bool isTermOfSum(Operation *product) {
  auto structured = dyn_cast<linalg::LinalgOp>(product->getParentOp());
  return !isa<arith::MulFOp>(product) ||
         (structured && structured.getNumReductionLoops() > 0);
}

bool tonno::multipliesResults(func::FuncOp function) {
  if (!isExact(function))
    return false;
  unsigned products = 0;
  bool isElementwise = false;
  function.walk([&](Operation *op) {
    if (!isProduct(op))
      return;
    ++products;
    isElementwise |= !isTermOfSum(op);
  });
  return products > 1 && isElementwise;
}

/// Returns the values that an op accumulates into.
static SmallVector<Value> getAccumulators(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return structured.getNumReductionLoops() == 0
               ? SmallVector<Value>()
               : SmallVector<Value>(structured.getDpsInits());
  if (auto contract = dyn_cast<vector::ContractionOp>(op))
    return {contract.getAcc()};
  if (isa<vector::ReductionOp, vector::MultiDimReductionOp>(op))
    return {op->getResult(0)};
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    return accumulatedInits(loop);
  return {};
}

/// Returns the type of a real number, or of the parts of a complex one; null
/// for others.
static FloatType getElementFloatType(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  return dyn_cast<FloatType>(element);
}

/// Returns the results that an op rounds to their type.
static ValueRange roundedBy(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  bool computes = dialect == "arith" || dialect == "math" ||
                  dialect == "complex" ||
                  isa<vector::FMAOp, vector::OuterProductOp>(op);
  bool keeps =
      isa<arith::ConstantOp, arith::ExtFOp, arith::TruncFOp, arith::SelectOp,
          arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
          arith::MinNumFOp, math::AbsFOp, math::CopySignOp>(op);
  return computes && !keeps ? ValueRange(op->getResults()) : ValueRange();
}

namespace {

/// The narrowest floating-point type of values.
class NarrowestFloat {
public:
  void add(ValueRange values) {
    for (Value value : values)
      if (FloatType type = getElementFloatType(value.getType()))
        if (!narrowest || precision(type) < precision(narrowest))
          narrowest = type;
  }

  /// Returns half the distance from 1 to the next number; 0 without values.
  double roundoff() const {
    return narrowest ? std::ldexp(1, -int(precision(narrowest))) : 0;
  }

  ElementType type() const {
    std::optional<ElementType> known =
        narrowest ? findElementType(narrowest) : std::nullopt;
    return known.value_or(ElementType::f32);
  }

private:
  static unsigned precision(FloatType type) {
    return llvm::APFloat::semanticsPrecision(type.getFloatSemantics());
  }

  FloatType narrowest;
};

} // namespace

SumPrecision tonno::sumPrecision(func::FuncOp function) {
  NarrowestFloat sums, others;
  function.walk([&](Operation *op) {
    sums.add(getAccumulators(op));
    others.add(roundedBy(op));
  });
  uint64_t length = reductionLength(function);
  // Sums in a loop over buffers are arithmetic like any other.
  if (sums.roundoff() == 0)
    sums = others;
  // A rounding coarser than the error of the longest sum occurs once, not once
  // a term.
  double bySum = std::sqrt(double(length)) * sums.roundoff();
  if (others.roundoff() > bySum)
    return {others.type(), 1, others.roundoff()};
  return {sums.type(), length, sums.roundoff()};
}

bool tonno::isElementwise(func::FuncOp function) {
  return !anyOp(function, [](Operation *op) {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    auto loop = dyn_cast<LoopLikeOpInterface>(op);
    return (structured && structured.getNumReductionLoops() > 0) ||
           (loop && (isa<scf::WhileOp>(op) || isAccumulating(loop) ||
                     hasLoopCarriedElements(loop))) ||
           isa<vector::ReductionOp, vector::MultiDimReductionOp,
               vector::ContractionOp, vector::ScanOp>(op);
  });
}

bool tonno::hasNarrowReals(func::FuncOp function) {
  auto isNarrow = [](Type type) {
    FloatType real = getElementFloatType(type);
    return real && real.getWidth() < 32;
  };
  return anyOp(function, [&](Operation *op) {
    return llvm::any_of(op->getOperandTypes(), isNarrow) ||
           llvm::any_of(op->getResultTypes(), isNarrow);
  });
}

static bool hasFlags(func::FuncOp function, arith::FastMathFlags any) {
  return anyOp(function, [&](Operation *op) {
    auto relaxed = dyn_cast<arith::ArithFastMathInterface>(op);
    return relaxed && relaxed.getFastMathFlagsAttr() &&
           (relaxed.getFastMathFlagsAttr().getValue() & any) !=
               arith::FastMathFlags::none;
  });
}

bool tonno::isFinite(func::FuncOp function) {
  return hasFlags(function,
                  arith::FastMathFlags::nnan | arith::FastMathFlags::ninf);
}

bool tonno::hasAnyZero(func::FuncOp function) {
  return hasFlags(function, arith::FastMathFlags::nsz);
}

bool tonno::isRelaxed(func::FuncOp function) {
  return hasFlags(function, arith::FastMathFlags::reassoc |
                                arith::FastMathFlags::arcp |
                                arith::FastMathFlags::afn);
}

bool tonno::hasSteps(func::FuncOp function) {
  return anyOp(function, [](Operation *op) {
    auto rounding = dyn_cast<arith::TruncFOp>(op);
    return (rounding && isIntermediateRounding(rounding)) ||
           isa<arith::CmpFOp, arith::FPToSIOp, arith::FPToUIOp, math::FloorOp,
               math::CeilOp, math::RoundOp, math::RoundEvenOp, math::TruncOp>(
               op);
  });
}
