//===- Contraction of floating-point operations ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

namespace tonno {
#define GEN_PASS_DEF_ALLOWCONTRACTIONPASS
#define GEN_PASS_DEF_ROUNDEACHOPPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

template <typename FlagsAttr>
static void addContract(Operation *op, StringRef name, FlagsAttr flags) {
  using Flags = decltype(flags.getValue());
  // Conversions have no attribute for no flags.
  Flags old = flags ? flags.getValue() : Flags::none;
  op->setAttr(name, FlagsAttr::get(op->getContext(), old | Flags::contract));
}

static void allowContraction(Operation *op) {
  if (auto math = dyn_cast<arith::ArithFastMathInterface>(op))
    addContract(op, math.getFastMathAttrName(), math.getFastMathFlagsAttr());
  else if (auto math = dyn_cast<LLVM::FastmathFlagsInterface>(op))
    addContract(op, math.getFastmathAttrName(), math.getFastmathAttr());
}

/// Marks the sums of a reduction, and the products that are their terms.
static void allowInSums(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0)
    return;
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
    SmallVector<Operation *> combiners;
    if (!matchReduction(op.getRegionOutputArgs(), i, combiners))
      continue;
    for (Operation *combiner : combiners)
      for (Value term : combiner->getOperands())
        if (auto product = term.getDefiningOp<arith::MulFOp>();
            product && isa<arith::AddFOp>(combiner)) {
          allowContraction(product);
          allowContraction(combiner);
        }
  }
}

namespace {

struct AllowContraction
    : tonno::impl::AllowContractionPassBase<AllowContraction> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function->getParentOp()->hasAttr(TonnoDialect::kStrict))
      return;
    if (function->hasAttr(TonnoDialect::kFpContract))
      function.walk(allowContraction);
    else
      function.walk(allowInSums);
  }
};

} // namespace

static bool mayContract(Operation *op) {
  auto math = dyn_cast_if_present<arith::ArithFastMathInterface>(op);
  return math && math.getFastMathFlagsAttr() &&
         bitEnumContainsAll(math.getFastMathFlagsAttr().getValue(),
                            arith::FastMathFlags::contract);
}

static bool fits(APFloat number, FloatType type) {
  bool isInexact = false;
  number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &isInexact);
  return !isInexact;
}

/// Returns true if the type holds the value exactly: a number extended from it,
/// a constant that fits, or an op that chooses one of `chosen`, which have to
/// be looked at then.
static bool isExactOrChosen(FloatType type, Value value,
                            SetVector<Value> &chosen) {
  FloatAttr constant;
  DenseFPElementsAttr constants;
  if (matchPattern(value, m_Constant(&constant)))
    return fits(constant.getValue(), type);
  if (matchPattern(value, m_Constant(&constants)))
    return constants.isSplat() &&
           fits(constants.getSplatValue<APFloat>(), type);
  Operation *op = value.getDefiningOp();
  if (auto extension = dyn_cast_if_present<arith::ExtFOp>(op))
    return getElementTypeOrSelf(extension.getIn()) == type;
  if (auto choice = dyn_cast_if_present<arith::SelectOp>(op)) {
    chosen.insert(choice.getTrueValue());
    chosen.insert(choice.getFalseValue());
    return true;
  }
  if (!isa_and_present<arith::MaximumFOp, arith::MinimumFOp>(op))
    return false;
  chosen.insert(op->operand_begin(), op->operand_end());
  return true;
}

static bool isExactIn(Type narrow, Value value) {
  auto type = cast<FloatType>(getElementTypeOrSelf(narrow));
  SetVector<Value> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i)
    if (!isExactOrChosen(type, values[i], values))
      return false;
  return true;
}

/// Lets a comparison that may not be contracted read numbers as they are
/// rounded: one number could otherwise be compared in two precisions, and no
/// element be equal to the largest.
static void readRounded(arith::CmpFOp comparison) {
  for (OpOperand &operand : comparison->getOpOperands()) {
    auto extension = operand.get().getDefiningOp<arith::ExtFOp>();
    if (!mayContract(extension))
      continue;
    auto rounded = cast<arith::ExtFOp>(OpBuilder(extension).clone(*extension));
    rounded.setFastmath(*rounded.getFastmath() &
                        ~arith::FastMathFlags::contract);
    operand.set(rounded);
  }
}

namespace {

struct RoundEachOp : tonno::impl::RoundEachOpPassBase<RoundEachOp> {
  void runOnOperation() override {
    getOperation().walk([](arith::TruncFOp rounding) {
      if (mayContract(rounding) &&
          !mayContract(rounding.getIn().getDefiningOp()) &&
          !isExactIn(rounding.getType(), rounding.getIn()))
        rounding.setFastmath(*rounding.getFastmath() &
                             ~arith::FastMathFlags::contract);
    });
    getOperation().walk([](arith::CmpFOp comparison) {
      if (!mayContract(comparison))
        readRounded(comparison);
    });
  }
};

} // namespace
