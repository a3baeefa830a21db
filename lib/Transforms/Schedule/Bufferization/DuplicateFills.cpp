//===- Fills shared by several init operands ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

namespace tonno {
#define GEN_PASS_DEF_DUPLICATEFILLSPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Returns true if the op may overwrite the operand's buffer.
static bool isInit(OpOperand &use) {
  auto op = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
  return op && op.isDpsInit(&use);
}

/// Clones the fill and its `tensor.empty` before each op whose init operand is
/// the fill, but for the first such op if nothing else reads the fill:
///
///     %fill = linalg.fill ins(%c) outs(%empty)
///     %a = linalg.reduce ... outs(%fill)
///     %b = linalg.reduce ... outs(%fill)   // outs(%clone)
static void duplicateFill(linalg::FillOp fill, tensor::EmptyOp empty) {
  SmallVector<OpOperand *> inits;
  bool isReadElsewhere = false;
  for (OpOperand &use : fill->getResult(0).getUses())
    if (isInit(use))
      inits.push_back(&use);
    else
      isReadElsewhere = true;
  // The list of uses begins with the last one.
  if (!isReadElsewhere && !inits.empty())
    inits.pop_back();
  for (OpOperand *init : inits) {
    OpBuilder builder(init->getOwner());
    IRMapping mapping;
    builder.clone(*empty, mapping);
    builder.clone(*fill, mapping);
    init->set(mapping.lookup(fill->getResult(0)));
  }
}

namespace {

struct DuplicateFills : tonno::impl::DuplicateFillsPassBase<DuplicateFills> {
  void runOnOperation() override {
    SmallVector<std::pair<linalg::FillOp, tensor::EmptyOp>> fills;
    getOperation()->walk([&](linalg::FillOp fill) {
      if (!fill.hasPureTensorSemantics())
        return;
      if (auto empty = fill.output().getDefiningOp<tensor::EmptyOp>())
        fills.push_back({fill, empty});
    });
    for (auto [fill, empty] : fills)
      duplicateFill(fill, empty);
  }
};

} // namespace
