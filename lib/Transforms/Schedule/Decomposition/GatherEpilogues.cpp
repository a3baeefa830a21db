//===- Move elementwise ops to the op whose results they use --------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoopRoles.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "Schedule/Decomposition/Decomposition.h"
#include "Schedule/Tiling/LinalgForms.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

#include <optional>
#include <utility>

namespace tonno {
#define GEN_PASS_DEF_GATHEREPILOGUESPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Returns true if no op between the two, in one block, has memory effects:
/// tensors may be views of buffers.
static bool canPass(Operation *from, Operation *to) {
  for (Operation *op = from->getNextNode(); op != to; op = op->getNextNode())
    if (!isMemoryEffectFree(op))
      return false;
  return true;
}

/// Moves a conversion to the first op that uses it: values between launches
/// should be narrow.
static void sink(linalg::LinalgOp op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers())
    if (Operation *inBlock = op->getBlock()->findAncestorOpInBlock(*user);
        !first || inBlock->isBeforeInBlock(first))
      first = inBlock;
  if (first && canPass(op, first))
    op->moveBefore(first);
}

namespace {

/// An op and the elementwise ops that are moved behind it.
class Epilogue {
public:
  explicit Epilogue(linalg::LinalgOp first) : first(first), last(first) {
    members.insert(first);
  }

  ArrayRef<Operation *> getMembers() const { return members.getArrayRef(); }

  void gather() {
    while (std::optional<Follower> next = findNext()) {
      for (Operation *op : sortInBlock(next->producers))
        op->moveBefore(first);
      if (last->getNextNode() != next->op)
        next->op->moveAfter(last);
      members.insert(next->op);
      last = next->op;
    }
  }

private:
  /// An op that can be moved to the members, and what moves before the first.
  struct Follower {
    linalg::LinalgOp op;
    llvm::SetVector<Operation *> producers;
  };

  /// Returns the first elementwise op that uses a member's result at each of
  /// its points and can be moved to the members, if there is one.
  std::optional<Follower> findNext() {
    std::optional<Follower> next;
    for (Operation *member : members)
      for (OpOperand &use : member->getUses()) {
        auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
        if (!user || members.contains(user) || !canFollow(user, use) ||
            (next && !user->isBeforeInBlock(next->op)) || !canPass(first, user))
          continue;
        if (auto producers = findProducers(user))
          next = {user, std::move(*producers)};
      }
    return next;
  }

  bool canFollow(linalg::LinalgOp op, OpOperand &use) {
    return op->getBlock() == first->getBlock() && isPerElement(op) &&
           hasProjectedMaps(op) && !isWidening(op) && op.isDpsInput(&use) &&
           op.getMatchingIndexingMap(&use).isPermutation();
  }

  /// Returns true if an op that another launch computes, or that is none, may
  /// move: reductions stay where they are, with the ops that use them.
  static bool canPrecede(Operation *op) {
    auto loops = dyn_cast<linalg::LinalgOp>(op);
    return isMemoryEffectFree(op) && !isa<linalg::SoftmaxOp>(op) &&
           (!loops || loops.getNumReductionLoops() == 0);
  }

  /// Returns the ops behind the first one that the op needs, besides members;
  /// nothing if one of them needs a member, or can't be moved.
  std::optional<llvm::SetVector<Operation *>> findProducers(Operation *op) {
    llvm::SetVector<Operation *> producers;
    SmallVector<Operation *> left = {op};
    while (!left.empty()) {
      Operation *user = left.pop_back_val();
      llvm::SetVector<Value> used(user->operand_begin(), user->operand_end());
      getUsedValuesDefinedAbove(user->getRegions(), used);
      for (Value value : used) {
        Operation *producer = value.getDefiningOp();
        if (!producer || producer->getBlock() != first->getBlock() ||
            producer->isBeforeInBlock(first))
          continue;
        if (members.contains(producer)) {
          if (user != op)
            return std::nullopt;
          continue;
        }
        if (!canPrecede(producer))
          return std::nullopt;
        if (producers.insert(producer))
          left.push_back(producer);
      }
    }
    return producers;
  }

  static SmallVector<Operation *>
  sortInBlock(const llvm::SetVector<Operation *> &ops) {
    SmallVector<Operation *> sorted(ops.begin(), ops.end());
    llvm::sort(sorted, [](Operation *one, Operation *other) {
      return one->isBeforeInBlock(other);
    });
    return sorted;
  }

  linalg::LinalgOp first, last;
  llvm::SetVector<Operation *> members;
};

} // namespace

void tonno::gatherEpilogues(func::FuncOp function) {
  llvm::DenseSet<Operation *> gathered;
  for (linalg::LinalgOp op : collectOpsIf(function, isWidening))
    sink(op);
  for (linalg::LinalgOp op : collectOps<linalg::LinalgOp>(function)) {
    if (!op.hasPureTensorSemantics() || isa<linalg::FillOp>(op) ||
        gathered.contains(op))
      continue;
    Epilogue epilogue(op);
    epilogue.gather();
    gathered.insert_range(epilogue.getMembers());
  }
}

namespace {

struct GatherEpilogues : tonno::impl::GatherEpiloguesPassBase<GatherEpilogues> {
  void runOnOperation() override { gatherEpilogues(getOperation()); }
};

} // namespace
