//===- Loops that share no tensors ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/CopiesOfCarried.h"
#include "tonno/Transforms/Schedule/Destinations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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

/// What is written into a tensor, whatever else reads that, has memory of its
/// own instead.
static void copyElsewhere(MaterializeInDestinationOp write) {
  if (write->getNumResults() == 0 ||
      write.getResult().getType() != write.getSource().getType())
    return;
  OpBuilder builder(write);
  write.getResult().replaceAllUsesWith(
      copyTensor(builder, write.getLoc(), write.getSource()));
  write.erase();
}

/// Writes copies of what `terminator` hands on into `places`, once all are
/// copied.
static void writeBack(ArrayRef<BlockArgument> places,
                      MutableArrayRef<OpOperand> handedOn,
                      Operation *terminator) {
  copyOperands(handedOn);
  OpBuilder builder(terminator);
  for (auto [place, value] : llvm::zip(places, handedOn))
    if (isa<RankedTensorType>(place.getType()) &&
        place.getType() == value.get().getType())
      value.set(MaterializeInDestinationOp::create(
                    builder, terminator->getLoc(), value.get(), place)
                    .getResult());
}

void tonno::copyCarried(Operation *root) {
  root->walk(copyElsewhere);
  root->walk([](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      Operation *yield = loop.getBody()->getTerminator();
      writeBack(llvm::to_vector(loop.getRegionIterArgs()),
                yield->getOpOperands(), yield);
      copyOperands(loop.getInitArgsMutable());
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      scf::ConditionOp condition = loop.getConditionOp();
      scf::YieldOp yield = loop.getYieldOp();
      writeBack(llvm::to_vector(loop.getBeforeArguments()),
                condition->getOpOperands().drop_front(), condition);
      writeBack(llvm::to_vector(loop.getAfterArguments()),
                yield->getOpOperands(), yield);
      copyOperands(loop.getInitsMutable());
    } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
      copyOperands(select->getOpOperands());
    } else if (isa<scf::IfOp, scf::IndexSwitchOp>(op)) {
      for (Region &region : op->getRegions())
        if (!region.empty())
          copyOperands(region.front().getTerminator()->getOpOperands());
    }
  });
}
