//===- Ranges of integer results ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_ELEMENTRANGES_H
#define TONNO_LIB_BACKEND_ELEMENTRANGES_H

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tonno {

/// Upstream's analysis of integer ranges, which in LLVM 22 reads the bounds of
/// loops that have none as values, such as
///   affine.for %i = affine_map<(d0) -> (d0 + 1)>(%k) to 8
/// Their induction variables may be any number here.
class RangeAnalysis : public mlir::dataflow::IntegerRangeAnalysis {
public:
  using IntegerRangeAnalysis::IntegerRangeAnalysis;

  void visitNonControlFlowArguments(
      mlir::Operation *op, const mlir::RegionSuccessor &successor,
      llvm::ArrayRef<mlir::dataflow::IntegerValueRangeLattice *> arguments,
      unsigned firstIndex) override {
    auto loop = llvm::dyn_cast<mlir::LoopLikeOpInterface>(op);
    bool hasBounds = !loop || !loop.getLoopInductionVars() ||
                     (loop.getLoopLowerBounds() && loop.getLoopUpperBounds() &&
                      loop.getLoopSteps());
    if (hasBounds)
      IntegerRangeAnalysis::visitNonControlFlowArguments(op, successor,
                                                         arguments, firstIndex);
    else
      setAllToEntryStates(arguments);
  }
};

/// Bounds the integers that a kernel without calls computes, whatever its
/// arguments hold: upstream's analysis of ranges, followed through tensors,
/// each of which has the range of its elements.
class ElementRanges {
public:
  explicit ElementRanges(mlir::func::FuncOp kernel);

  /// Returns true if `value`, or each of its elements, is at least 0 and less
  /// than `extent`.
  bool isWithin(mlir::Value value, int64_t extent);

private:
  mlir::DataFlowSolver solver;
  bool isAnalysed;
};

} // namespace tonno

#endif // TONNO_LIB_BACKEND_ELEMENTRANGES_H
