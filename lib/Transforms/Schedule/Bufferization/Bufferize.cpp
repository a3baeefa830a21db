//===- Bufferize tensors --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "Schedule/Bufferization/Destinations.h"

#include "llvm/ADT/StringSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Bufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SubsetOpInterface.h"

#include <optional>

namespace tonno {
#define GEN_PASS_DEF_BUFFERIZEPASS
#define GEN_PASS_DEF_ELIMINATEEMPTYTENSORSPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

using bufferization::MaterializeInDestinationOp;

static void copyOperands(MutableArrayRef<OpOperand> operands) {
  for (OpOperand &operand : operands) {
    OpBuilder builder(operand.getOwner());
    if (isa<RankedTensorType>(operand.get().getType()))
      operand.set(
          copyTensor(builder, operand.getOwner()->getLoc(), operand.get()));
  }
}

/// Replaces a write into a tensor by a copy in a new buffer:
///
///   %r = bufferization.materialize_in_destination %v in %dest
///
/// becomes
///
///   %r = bufferization.alloc_tensor() copy(%v)
static void copyToNewBuffer(MaterializeInDestinationOp write) {
  if (write->getNumResults() == 0 ||
      write.getResult().getType() != write.getSource().getType())
    return;
  OpBuilder builder(write);
  write.getResult().replaceAllUsesWith(
      copyTensor(builder, write.getLoc(), write.getSource()));
  write.erase();
}

/// Copies the operands that `terminator` yields, and then writes the copies
/// into `places`.
static void writeBack(Block::BlockArgListType places,
                      MutableArrayRef<OpOperand> forwarded,
                      Operation *terminator) {
  copyOperands(forwarded);
  OpBuilder builder(terminator);
  for (auto [place, value] : llvm::zip(places, forwarded))
    if (isa<RankedTensorType>(place.getType()) &&
        place.getType() == value.get().getType())
      value.set(writeInto(builder, terminator->getLoc(), value.get(), place));
}

/// Copies all iter_args on entry and at each yield, back into the same buffers,
/// and all values yielded by branches and selects: slow, but without
/// read-after-write conflicts.
static void copyIterArgs(Operation *root) {
  root->walk(copyToNewBuffer);
  root->walk([](Operation *op) {
    if (isa<scf::ForOp, scf::WhileOp>(op)) {
      forEachForwardingTerminator(op, writeBack);
      copyOperands(cast<LoopLikeOpInterface>(op).getInitsMutable());
    } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
      copyOperands(select->getOpOperands());
    } else if (isa<scf::IfOp, scf::IndexSwitchOp>(op)) {
      for (Region &region : op->getRegions())
        if (!region.empty())
          copyOperands(region.front().getTerminator()->getOpOperands());
    }
  });
}

using OneShotOptions = bufferization::OneShotBufferizationOptions;
using OneShotState = bufferization::OneShotAnalysisState;
using Analysis = function_ref<LogicalResult(OneShotState &)>;

/// Analyses `root`; if it is refused, since something may be written before it
/// is read, makes copies and analyses it again.
static LogicalResult
analyzeWithCopiesIfNeeded(Operation *root, const OneShotOptions &options,
                          Analysis analyze,
                          std::optional<OneShotState> &state) {
  {
    ScopedDiagnosticHandler untold(root->getContext(),
                                   [](Diagnostic &) { return success(); });
    state.emplace(root, options);
    if (succeeded(analyze(*state)))
      return success();
  }
  copyIterArgs(root);
  state.emplace(root, options);
  return analyze(*state);
}

/// Returns how a module gets rid of `op`, which no pass of ours lowers.
static std::string describeRemedy(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  auto pass = llvm::StringSwitch<StringRef>(dialect)
                  .Case("quant", "lower-quant-ops")
                  .Case("shape", "convert-shape-to-std")
                  .Case("sparse_tensor", "sparsifier")
                  .Case("tosa", "tosa-to-linalg-pipeline")
                  .Default("");
  if (!pass.empty())
    return ("run 'mlir-opt --" + pass + "' first").str();
  if (dialect == "ml_program")
    return "a kernel has no state between launches: pass the old value as an "
           "argument, and return the new one";
  if (isa<linalg::PackOp, linalg::UnPackOp>(op))
    return "use constant tile sizes";
  return "lower it first, or by a pipeline of your own with '--pipeline'";
}

/// Checks that each op on tensors has a form on buffers, and says what to do.
static LogicalResult checkBufferizable(Operation *root,
                                       const OneShotOptions &options) {
  return checkOps(root, [&](Operation *op) -> LogicalResult {
    bool isOnTensors =
        llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>) ||
        llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
    bool isState = isa<ml_program::GlobalStoreOp>(op);
    if (!isOnTensors || (!isState && options.dynCastBufferizableOp(op)))
      return success();
    return op->emitError() << "'" << op->getName()
                           << "' has no lowering to buffers; "
                           << describeRemedy(op);
  });
}

/// Discardable attribute of slices whose elements are never read.
static constexpr llvm::StringLiteral undefinedKey = "undefined";

/// Replaces slices whose elements are never read by new tensors where the
/// analysis demands a copy.
static void dropUndefinedCopies(Operation *root, const OneShotState &analysis) {
  root->walk([&](tensor::ExtractSliceOp slice) {
    if (!slice->hasAttr(undefinedKey) ||
        analysis.isInPlace(slice.getSourceMutable()) ||
        !slice.getType().hasStaticShape())
      return;
    OpBuilder builder(slice);
    slice.replaceAllUsesWith(
        bufferization::AllocTensorOp::create(builder, slice.getLoc(),
                                             slice.getType(), ValueRange())
            .getResult());
    slice.erase();
  });
}

/// Returns true if the inserted tensor is computed in the slice that it is
/// inserted into.
static bool isComputedInDestination(tensor::InsertSliceOp insertion) {
  Value value = insertion.getSource();
  while (OpOperand *destination = getDestinationOperand(value))
    value = destination->get();
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  return slice && slice.getSource() == insertion.getDest() &&
         slice.isSameAs(insertion, isEqualConstantIntOrValue);
}

/// Lets ops after an insertion read the inserted tensor in its destination, if
/// it is computed there. The analysis does not see that the insertion leaves
/// slices of the inserted tensor as they are:
///
///   %p = tensor.insert_slice %x into %t[1] [8] [1]
///   %y = tensor.extract_slice %x[%i] [4] [1]
///
/// becomes
///
///   %p = tensor.insert_slice %x into %t[1] [8] [1]
///   %z = tensor.extract_slice %p[1] [8] [1]
///   %y = tensor.extract_slice %z[%i] [4] [1]
static void readInsertedSlices(Operation *root) {
  root->walk([](tensor::InsertSliceOp insertion) {
    Value source = insertion.getSource();
    if (source.hasOneUse() || !isComputedInDestination(insertion))
      return;
    for (OpOperand &use : llvm::make_early_inc_range(source.getUses())) {
      Operation *user =
          insertion->getBlock()->findAncestorOpInBlock(*use.getOwner());
      if (!user || !insertion->isBeforeInBlock(user))
        continue;
      // Beside the user, which may follow insertions of the result.
      OpBuilder builder(user);
      use.set(tensor::ExtractSliceOp::create(
          builder, insertion.getLoc(), insertion.getSourceType(), insertion,
          insertion.getMixedOffsets(), insertion.getMixedSizes(),
          insertion.getMixedStrides()));
    }
  });
}

namespace {

/// Gives each init operand a `tensor.empty` of its own, until `merge` is
/// called. Ops with the same init operand are aliases, and the time of the
/// analysis grows with the cube of their number, or faster. Slices of a tensor
/// keep its `tensor.empty`, as they are parts of one buffer.
///
///   %e = tensor.empty()
///   %x = linalg.exp ins(%a) outs(%e)
///   %y = linalg.exp ins(%b) outs(%e)
///
/// becomes
///
///   %e = tensor.empty()
///   %e_0 = tensor.empty()
///   %x = linalg.exp ins(%a) outs(%e_0)
///   %e_1 = tensor.empty()
///   %y = linalg.exp ins(%b) outs(%e_1)
class EmptyTensorClones : public RewriterBase::Listener {
public:
  explicit EmptyTensorClones(Operation *root) {
    SmallVector<tensor::EmptyOp> shared;
    root->walk([&](tensor::EmptyOp empty) {
      if (!empty->use_empty() && !empty->hasOneUse())
        shared.push_back(empty);
    });
    for (tensor::EmptyOp empty : shared)
      for (OpOperand &use : llvm::make_early_inc_range(empty->getUses())) {
        if (!isDestination(use))
          continue;
        Operation *clone = OpBuilder(use.getOwner()).clone(*empty);
        use.set(clone->getResult(0));
        originals[clone] = empty;
      }
  }

  void notifyOperationErased(Operation *op) override { originals.erase(op); }

  /// Marks the slices that replace a `tensor.empty`.
  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint /*previous*/) override {
    if (isa<tensor::ExtractSliceOp>(op))
      op->setAttr(undefinedKey, UnitAttr::get(op->getContext()));
  }

  /// Replaces the clones that are left by what they are clones of.
  void merge() {
    for (auto [clone, original] : originals) {
      clone->replaceAllUsesWith(original);
      clone->erase();
    }
  }

private:
  llvm::MapVector<Operation *, tensor::EmptyOp> originals;
};

/// Moves each `tensor.empty` that slices are inserted into to the start of its
/// block, so that the slices can be computed there. Upstream does not move what
/// replaces it, the buffer of a result.
static void hoistInsertedInto(Operation *root) {
  root->walk([](tensor::EmptyOp empty) {
    bool isInsertedInto = llvm::any_of(empty->getUses(), [](OpOperand &use) {
      auto insertion = dyn_cast<tensor::InsertSliceOp>(use.getOwner());
      return insertion && use == insertion.getDestMutable();
    });
    if (isInsertedInto && empty->getNumOperands() == 0)
      empty->moveBefore(&empty->getBlock()->front());
  });
}

struct EliminateEmptyTensors
    : tonno::impl::EliminateEmptyTensorsPassBase<EliminateEmptyTensors> {
  void runOnOperation() override {
    OneShotOptions options;
    options.allowReturnAllocsFromLoops = true;
    options.bufferizeFunctionBoundaries = true;
    auto analyze = [&](OneShotState &state) {
      return bufferization::analyzeModuleOp(getOperation(), state);
    };
    hoistInsertedInto(getOperation());
    EmptyTensorClones clones(getOperation());
    std::optional<OneShotState> state;
    IRRewriter rewriter(&getContext(), &clones);
    if (failed(
            analyzeWithCopiesIfNeeded(getOperation(), options, analyze, state)))
      return signalPassFailure();
    // Starts with the last insertion, so that a tensor whose parts are inserted
    // is replaced by the result's buffer before its parts are looked at.
    SmallVector<SubsetInsertionOpInterface> insertions;
    getOperation().walk(
        [&](SubsetInsertionOpInterface op) { insertions.push_back(op); });
    for (SubsetInsertionOpInterface op : llvm::reverse(insertions))
      if (failed(bufferization::eliminateEmptyTensors(rewriter, op, *state)))
        return signalPassFailure();
    clones.merge();
  }
};

struct Bufferize : tonno::impl::BufferizePassBase<Bufferize> {
  void runOnOperation() override {
    OneShotOptions options;
    // An allocation that can't be workspace gets a message of our own.
    options.allowReturnAllocsFromLoops = true;
    auto analyze = [&](OneShotState &state) {
      return bufferization::analyzeOp(getOperation(), state);
    };
    if (failed(checkBufferizable(getOperation(), options)))
      return signalPassFailure();
    readInsertedSlices(getOperation());
    std::optional<OneShotState> analysis;
    bufferization::BufferizationState state;
    if (failed(analyzeWithCopiesIfNeeded(getOperation(), options, analyze,
                                         analysis)))
      return signalPassFailure();
    dropUndefinedCopies(getOperation(), *analysis);
    if (failed(bufferization::insertTensorCopies(getOperation(), *analysis,
                                                 state)) ||
        failed(bufferization::bufferizeOp(getOperation(), options, state)))
      signalPassFailure();
  }
};

} // namespace
