//===- Bounds of integers in tensors --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ElementRanges.h"

#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tonno;
using dataflow::IntegerValueRangeLattice;

/// Returns the operands whose elements are those of the op's result.
static SmallVector<Value> getElementSources(Operation *op) {
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case<tensor::ExtractOp, tensor::ExtractSliceOp, tensor::CastOp,
            tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::SplatOp>(
          [](Operation *op) { return SmallVector<Value>{op->getOperand(0)}; })
      .Case<tensor::InsertOp, tensor::InsertSliceOp>([](Operation *op) {
        return SmallVector<Value>{op->getOperand(0), op->getOperand(1)};
      })
      .Case<tensor::FromElementsOp, tensor::ConcatOp>(
          [](Operation *op) { return SmallVector<Value>(op->getOperands()); })
      .Default({});
}

namespace {

class ElementRangeAnalysis : public RangeAnalysis {
public:
  using RangeAnalysis::RangeAnalysis;

  LogicalResult
  visitOperation(Operation *op,
                 ArrayRef<const IntegerValueRangeLattice *> operands,
                 ArrayRef<IntegerValueRangeLattice *> results) override {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (structured && structured.hasPureTensorSemantics()) {
      Operation *yield = structured.getBlock()->getTerminator();
      for (OpOperand &init : structured.getDpsInitsMutable()) {
        OpResult result = structured.getTiedOpResult(&init);
        IntegerValueRangeLattice *lattice = results[result.getResultNumber()];
        if (structured.getMatchingIndexingMap(&init).isProjectedPermutation())
          joinResult(result, yield->getOperand(result.getResultNumber()),
                     lattice);
        else
          setToEntryState(lattice);
      }
      return success();
    }
    SmallVector<Value> sources = getElementSources(op);
    if (sources.empty())
      return RangeAnalysis::visitOperation(op, operands, results);
    joinResult(op->getResult(0), sources, results.front());
    return success();
  }

  void
  visitNonControlFlowArguments(Operation *op, const RegionSuccessor &successor,
                               ArrayRef<IntegerValueRangeLattice *> arguments,
                               unsigned firstIndex) override {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (!structured || !structured.hasPureTensorSemantics())
      return RangeAnalysis::visitNonControlFlowArguments(op, successor,
                                                         arguments, firstIndex);
    ProgramPoint *point = getProgramPointBefore(structured.getBlock());
    for (OpOperand &operand : op->getOpOperands()) {
      auto argument = structured.getMatchingBlockArgument(&operand);
      IntegerValueRangeLattice *lattice = arguments[argument.getArgNumber()];
      bool isAccumulator = structured.isDpsInit(&operand) &&
                           structured.getNumReductionLoops() > 0;
      if (isAccumulator)
        setToEntryState(lattice);
      else
        join(lattice, *getLatticeElementFor(point, operand.get()));
    }
  }

private:
  void joinResult(OpResult result, ArrayRef<Value> sources,
                  IntegerValueRangeLattice *lattice) {
    IntegerValueRange before = lattice->getValue();
    ChangeResult changed = ChangeResult::NoChange;
    ProgramPoint *point = getProgramPointAfter(result.getOwner());
    for (Value source : sources)
      changed |= lattice->join(*getLatticeElementFor(point, source));
    propagateIfChanged(lattice, changed);
    // Counters that a loop passes on would grow step by step.
    bool isYielded = llvm::any_of(result.getUsers(), [](Operation *user) {
      return user->hasTrait<OpTrait::IsTerminator>();
    });
    if (isYielded && !before.isUninitialized() &&
        changed == ChangeResult::Change)
      setToEntryState(lattice);
  }
};

} // namespace

ElementRanges::ElementRanges(func::FuncOp kernel) {
  solver.load<dataflow::DeadCodeAnalysis>();
  solver.load<ElementRangeAnalysis>();
  isAnalysed = succeeded(solver.initializeAndRun(kernel));
}

bool ElementRanges::isWithin(Value value, int64_t extent) {
  auto *state = solver.lookupState<IntegerValueRangeLattice>(value);
  if (!isAnalysed || !state || state->getValue().isUninitialized())
    return false;
  const ConstantIntRanges &range = state->getValue().getValue();
  return range.smin().isNonNegative() && range.smax().slt(extent);
}
