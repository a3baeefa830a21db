//===- Kernels defined for all integers -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ElementRanges.h"
#include "Exactness.h"

#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tonno;

static bool isInteger(Type type) {
  return getElementTypeOrSelf(type).isSignlessInteger();
}

static bool isIntegerOrIndex(Type type) {
  return isInteger(type) || getElementTypeOrSelf(type).isIndex();
}

namespace {

/// Says which ops have a result, and one only, whatever integers they get.
class Definedness {
public:
  explicit Definedness(func::FuncOp function) {
    solver.load<dataflow::DeadCodeAnalysis>();
    solver.load<RangeAnalysis>();
    isAnalysed = succeeded(solver.initializeAndRun(function));
  }

  bool holds(Operation *op) {
    return isAnalysed && !mayOverflow(op) && (!hasIntegers(op) || isKnown(op));
  }

private:
  static bool hasIntegers(Operation *op) {
    return llvm::any_of(op->getOperandTypes(), isIntegerOrIndex) ||
           llvm::any_of(op->getResultTypes(), isIntegerOrIndex);
  }

  /// Returns true if the op has nsw or nuw flags: an overflow then yields
  /// poison.
  static bool mayOverflow(Operation *op) {
    auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
    return flags && flags.getOverflowAttr().getValue() !=
                        arith::IntegerOverflowFlags::none;
  }

  bool isKnown(Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    if (dialect == "arith")
      return isKnownArithmetic(op);
    if (dialect == "math")
      return isa<math::AbsIOp, math::CountLeadingZerosOp,
                 math::CountTrailingZerosOp, math::CtPopOp>(op);
    if (dialect == "linalg")
      return isa<linalg::LinalgOp, linalg::YieldOp, linalg::IndexOp>(op);
    if (dialect == "vector")
      return !isa<vector::GatherOp, vector::ScatterOp, vector::PrintOp>(op);
    // Conditions of unknown duration, and indices that may be out of bounds.
    if (isa<scf::WhileOp, tensor::GatherOp, tensor::ScatterOp>(op))
      return false;
    return llvm::is_contained(
        {"affine", "bufferization", "func", "memref", "scf", "tensor"},
        dialect);
  }

  bool isKnownArithmetic(Operation *op) {
    if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
      return isBelowWidth(op->getOperand(1));
    if (isa<arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp>(op))
      return isNever(op->getOperand(1), 0);
    if (isa<arith::DivSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp,
            arith::RemSIOp>(op))
      return isNever(op->getOperand(1), 0) && isNever(op->getOperand(1), -1);
    // Values cast to index are positions; arbitrary integers would be out of
    // bounds.
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
      return isInteger(op->getResult(0).getType());
    // Bits of floating-point numbers are no integers either. A bitcast of
    // integers gives arbitrary floating-point numbers, which Problem::plain
    // covers.
    return !isa<arith::BitcastOp>(op) || isInteger(op->getOperand(0).getType());
  }

  std::optional<ConstantIntRanges> getRange(Value value) {
    auto *state = solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
    if (!state || state->getValue().isUninitialized())
      return std::nullopt;
    return state->getValue().getValue();
  }

  bool isBelowWidth(Value amount) {
    auto range = getRange(amount);
    return range && range->umax().ult(range->umax().getBitWidth());
  }

  bool isNever(Value divisor, int64_t value) {
    auto range = getRange(divisor);
    if (!range)
      return false;
    APInt number(range->smin().getBitWidth(), value, /*isSigned=*/true,
                 /*implicitTrunc=*/true);
    bool isBeyondSigned =
        number.slt(range->smin()) || number.sgt(range->smax());
    bool isBeyondUnsigned =
        number.ult(range->umin()) || number.ugt(range->umax());
    return isBeyondSigned || isBeyondUnsigned;
  }

  DataFlowSolver solver;
  bool isAnalysed;
};

} // namespace

bool tonno::computesReals(func::FuncOp function) {
  auto isReal = [](Type type) {
    return isa<FloatType>(getElementTypeOrSelf(type));
  };
  return anyOp(function, [&](Operation *op) {
    return llvm::any_of(op->getOperandTypes(), isReal) ||
           llvm::any_of(op->getResultTypes(), isReal);
  });
}

bool tonno::takesAnyIntegers(func::FuncOp function) {
  if (llvm::none_of(function.getArgumentTypes(), isInteger))
    return false;
  Definedness definedness(function);
  return !anyOp(function, [&](Operation *op) {
    return op != function && !definedness.holds(op);
  });
}
