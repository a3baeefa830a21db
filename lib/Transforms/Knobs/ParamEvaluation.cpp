//===- Values of SMT terms over parameters --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/ParamEvaluation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "mlir/Dialect/SMT/IR/SMTOps.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/SMTExtension/SMTExtensionOps.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"

#include <limits>

using namespace mlir;
using namespace tonno;

namespace {
using Number = std::optional<int64_t>;
using Numbers = ArrayRef<int64_t>;
} // namespace

static Number ofAttribute(Attribute attribute) {
  auto integer = dyn_cast_if_present<IntegerAttr>(attribute);
  if (!integer || integer.getValue().getSignificantBits() > 64)
    return std::nullopt;
  return integer.getType().isInteger(1) ? integer.getValue().getZExtValue()
                                        : integer.getValue().getSExtValue();
}

static Number ofParam(Value param) {
  Operation *op = param.getDefiningOp();
  if (auto knob = dyn_cast_if_present<transform::tune::KnobOp>(op))
    return ofAttribute(knob.getSelectedAttr());
  if (auto constant = dyn_cast_if_present<transform::ParamConstantOp>(op))
    return ofAttribute(constant.getValue());
  return std::nullopt;
}

static Number fold(Numbers values, Number (*combine)(int64_t, int64_t)) {
  Number result = values.front();
  for (int64_t value : values.drop_front())
    if (result)
      result = combine(*result, value);
  return result;
}

static Number modulo(int64_t a, int64_t b) {
  if (b == 0)
    return std::nullopt;
  if (b == -1) // whose quotient may not fit
    return 0;
  int64_t rest = a % b;
  return rest < 0 ? rest + (b < 0 ? -b : b) : rest;
}

static Number divide(int64_t a, int64_t b) {
  Number rest = modulo(a, b);
  if (!rest || (b == -1 && a == std::numeric_limits<int64_t>::min()))
    return std::nullopt;
  Number whole = llvm::checkedSub(a, *rest);
  return whole ? Number(*whole / b) : std::nullopt;
}

static bool compare(smt::IntPredicate predicate, int64_t a, int64_t b) {
  switch (predicate) {
  case smt::IntPredicate::lt:
    return a < b;
  case smt::IntPredicate::le:
    return a <= b;
  case smt::IntPredicate::gt:
    return a > b;
  case smt::IntPredicate::ge:
    return a >= b;
  }
  llvm_unreachable("unknown predicate");
}

static bool areDistinct(Numbers values) {
  SmallVector<int64_t> sorted(values);
  llvm::sort(sorted);
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

static Number ofOp(Operation *op, Numbers v) {
  return llvm::TypeSwitch<Operation *, Number>(op)
      .Case([&](smt::IntConstantOp constant) {
        return ofAttribute(constant.getValueAttr());
      })
      .Case([&](smt::BoolConstantOp constant) {
        return Number(constant.getValue());
      })
      .Case([&](smt::IntAddOp) { return fold(v, llvm::checkedAdd<int64_t>); })
      .Case([&](smt::IntMulOp) { return fold(v, llvm::checkedMul<int64_t>); })
      .Case([&](smt::IntSubOp) { return llvm::checkedSub(v[0], v[1]); })
      .Case([&](smt::IntModOp) { return modulo(v[0], v[1]); })
      .Case([&](smt::IntDivOp) { return divide(v[0], v[1]); })
      .Case([&](smt::IntAbsOp) {
        return v[0] < 0 ? llvm::checkedSub<int64_t>(0, v[0]) : Number(v[0]);
      })
      .Case([&](smt::IntCmpOp cmp) {
        return Number(compare(cmp.getPred(), v[0], v[1]));
      })
      .Case([&](smt::EqOp) { return Number(llvm::all_equal(v)); })
      .Case([&](smt::DistinctOp) { return Number(areDistinct(v)); })
      .Case([&](smt::NotOp) { return Number(!v[0]); })
      .Case([&](smt::AndOp) {
        return Number(llvm::all_of(v, [](int64_t x) { return x; }));
      })
      .Case([&](smt::OrOp) {
        return Number(llvm::any_of(v, [](int64_t x) { return x; }));
      })
      .Case([&](smt::XOrOp) {
        return Number(llvm::count_if(v, [](int64_t x) { return x; }) % 2);
      })
      .Case([&](smt::ImpliesOp) { return Number(!v[0] || v[1]); })
      .Case([&](smt::IteOp) { return Number(v[0] ? v[1] : v[2]); })
      .Default([](Operation *) { return Number(); });
}

std::optional<int64_t> tonno::evaluateParam(Value term) {
  if (auto argument = dyn_cast<BlockArgument>(term)) {
    auto op = dyn_cast<transform::smt::ConstrainParamsOp>(
        argument.getOwner()->getParentOp());
    return op ? ofParam(op.getParams()[argument.getArgNumber()]) : std::nullopt;
  }
  SmallVector<int64_t> values;
  for (Value operand : term.getDefiningOp()->getOperands()) {
    Number value = evaluateParam(operand);
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  return ofOp(term.getDefiningOp(), values);
}
