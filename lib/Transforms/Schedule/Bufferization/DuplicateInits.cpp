//===- Init operands shared by several ops --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "Schedule/Bufferization/Destinations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tonno {
#define GEN_PASS_DEF_DUPLICATEINITSPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Clones the fill and its `tensor.empty` before each op whose init operand is
/// the fill, but for the first such op if nothing else reads the fill and no
/// loop repeats the op:
///
///     %fill = linalg.fill ins(%c) outs(%empty)
///     %a = linalg.reduce ... outs(%fill)
///     %b = linalg.reduce ... outs(%fill)   // outs(%clone)
static void duplicateFill(linalg::FillOp fill, tensor::EmptyOp empty) {
  SmallVector<OpOperand *> inits;
  bool isReadElsewhere = false;
  for (OpOperand &use : fill->getResult(0).getUses())
    if (isDestination(use))
      inits.push_back(&use);
    else
      isReadElsewhere = true;
  // The list of uses begins with the last one.
  if (!isReadElsewhere && !inits.empty() &&
      inits.back()->getOwner()->getBlock() == fill->getBlock())
    inits.pop_back();
  for (OpOperand *init : inits) {
    OpBuilder builder(init->getOwner());
    IRMapping mapping;
    builder.clone(*empty, mapping);
    builder.clone(*fill, mapping);
    init->set(mapping.lookup(fill->getResult(0)));
  }
  if (fill->use_empty())
    fill.erase();
}

/// Returns the init operand of a value's op, in whose buffer bufferization may
/// compute the value; null for other values.
static Value getInit(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return {};
  if (auto op = dyn_cast<DestinationStyleOpInterface>(result.getOwner()))
    return op.getTiedOpOperand(result)->get();
  auto loop = dyn_cast<LoopLikeOpInterface>(result.getOwner());
  OpOperand *init = loop ? loop.getTiedLoopInit(result) : nullptr;
  return init ? init->get() : Value();
}

/// Returns true if `op` is the last user of a tensor that was computed in the
/// buffer of `empty`: it may compute its result there, over that tensor.
static bool mayOverwriteOperand(Operation *op, Value empty) {
  llvm::SetVector<Value> operands;
  operands.insert_range(op->getOperands());
  getUsedValuesDefinedAbove(op->getRegions(), operands);
  return llvm::any_of(operands, [&](Value operand) {
    Value root = operand;
    while (Value init = getInit(root))
      root = init;
    return root == empty && operand != empty &&
           llvm::all_of(operand.getUsers(), [&](Operation *user) {
             Operation *beside = op->getBlock()->findAncestorOpInBlock(*user);
             return beside == op || (beside && beside->isBeforeInBlock(op));
           });
  });
}

/// Returns true if the op writes a part of a tensor, which another op may have
/// extracted.
static bool isInsertion(Operation *op) {
  return isa<tensor::InsertSliceOp, tensor::InsertOp>(op);
}

/// Clones the `tensor.empty` before each of its `inits`, in program order, but
/// for ops that may overwrite an operand there, and for the first unless parts
/// of the tensor are written, too:
///
///     %a = linalg.exp ins(%x) outs(%empty)
///     %b = linalg.exp ins(%a) outs(%empty)
///     %c = linalg.exp ins(%y) outs(%empty)   // outs(%clone)
///     %d = linalg.exp ins(%c) outs(%empty)   // outs(%clone)
static void duplicateEmpty(tensor::EmptyOp empty, ArrayRef<OpOperand *> inits) {
  SmallVector<Value> clones = {empty.getResult()};
  bool isInserted = llvm::any_of(empty->getUsers(), isInsertion);
  for (OpOperand *use : inits.drop_front(isInserted ? 0 : 1)) {
    Operation *op = use->getOwner();
    auto *found = llvm::find_if(
        clones, [&](Value clone) { return mayOverwriteOperand(op, clone); });
    if (found == clones.end()) {
      OpBuilder builder(op);
      clones.push_back(builder.clone(*empty)->getResult(0));
      found = std::prev(clones.end());
    }
    use->set(*found);
  }
}

/// Gives each insertion into the `tensor.empty`, but for one, a clone of it,
/// together with the slice that the inserted tensor is computed in:
///
///     %a = tensor.insert_slice %x into %empty[0] [8] [1]
///     %s = tensor.extract_slice %clone[0] [8] [1]         // of %empty
///     %y = linalg.exp ins(...) outs(%s)
///     %b = tensor.insert_slice %y into %clone[0] [8] [1]  // into %empty
static void separateInsertions(tensor::EmptyOp empty) {
  SmallVector<tensor::InsertSliceOp> insertions;
  for (OpOperand &use : empty->getUses())
    if (auto insertion = dyn_cast<tensor::InsertSliceOp>(use.getOwner());
        insertion && use == insertion.getDestMutable())
      insertions.push_back(insertion);
  for (tensor::InsertSliceOp insertion :
       ArrayRef(insertions).drop_back(insertions.empty() ? 0 : 1)) {
    OpOperand *root = &insertion.getSourceMutable();
    while (OpOperand *destination = getDestinationOperand(root->get()))
      root = destination;
    auto slice = root->get().getDefiningOp<tensor::ExtractSliceOp>();
    bool isSlice = slice && slice.getSource() == empty;
    OpBuilder builder(isSlice ? root->getOwner() : insertion);
    IRMapping mapping;
    builder.clone(*empty, mapping);
    if (isSlice) {
      builder.clone(*slice, mapping);
      root->set(mapping.lookup(slice.getResult()));
    }
    insertion.getDestMutable().assign(mapping.lookup(empty.getResult()));
  }
}

void tonno::duplicateInits(func::FuncOp function) {
  for (auto fill : collectOps<linalg::FillOp>(function))
    if (auto empty = fill.output().getDefiningOp<tensor::EmptyOp>();
        empty && fill.hasPureTensorSemantics())
      duplicateFill(fill, empty);
  for (auto empty : collectOps<tensor::EmptyOp>(function))
    separateInsertions(empty);
  llvm::MapVector<tensor::EmptyOp, SmallVector<OpOperand *>> uses;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (OpOperand &use : op->getOpOperands())
      if (auto empty = use.get().getDefiningOp<tensor::EmptyOp>();
          empty && isDestination(use) && !isInsertion(op))
        uses[empty].push_back(&use);
  });
  for (const auto &[empty, inits] : uses)
    duplicateEmpty(empty, inits);
}

namespace {

struct DuplicateInits : tonno::impl::DuplicateInitsPassBase<DuplicateInits> {
  void runOnOperation() override { duplicateInits(getOperation()); }
};

} // namespace
