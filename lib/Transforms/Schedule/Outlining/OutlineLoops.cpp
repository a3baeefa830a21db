//===- A function for each loop of a model --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "Schedule/Outlining/FunctionOutliner.h"

#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tonno {
#define GEN_PASS_DEF_OUTLINELOOPSPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Returns the loops of the kernel that are in no other loop and have no
/// results, and the parallel regions.
static SmallVector<Operation *> findOuterLoops(func::FuncOp kernel) {
  SmallVector<Operation *> loops;
  for (Operation &op : kernel.front())
    if (isa<omp::ParallelOp>(op) ||
        (isa<scf::ForOp>(op) && op.getNumResults() == 0))
      loops.push_back(&op);
  return loops;
}

/// Marks a function to be compiled by itself.
static void markSeparate(func::FuncOp function) {
  Builder builder(function.getContext());
  SmallVector<Attribute> attributes;
  if (auto known = function->getAttrOfType<ArrayAttr>("passthrough"))
    llvm::append_range(attributes, known);
  attributes.push_back(builder.getStringAttr(TonnoDialect::kSeparate));
  function->setAttr("passthrough", builder.getArrayAttr(attributes));
}

namespace {

struct OutlineLoops : tonno::impl::OutlineLoopsPassBase<OutlineLoops> {
  using OutlineLoopsPassBase::OutlineLoopsPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto kernel : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (kernel.isExternal() || !llvm::hasSingleElement(kernel.getBody()))
        continue;
      SmallVector<Operation *> loops = findOuterLoops(kernel);
      if (loops.size() < leastLoops)
        continue;
      for (Operation *loop : loops)
        if (isa<omp::ParallelOp>(loop))
          markPart(loop, symbols);
        else
          outline(kernel, loop, symbols);
    }
  }

private:
  /// Marks the functions that a team of threads calls.
  static void markPart(Operation *team, SymbolTable &symbols) {
    team->walk([&](func::CallOp call) {
      markSeparate(symbols.lookup<func::FuncOp>(call.getCallee()));
    });
  }

  static void outline(func::FuncOp kernel, Operation *loop,
                      SymbolTable &symbols) {
    FunctionOutliner outliner(kernel, loop, loop->getRegions());
    if (outliner.findUnpassable())
      return;
    IRMapping inside;
    func::FuncOp function = outliner.create((kernel.getName() + ".loop").str(),
                                            {}, symbols, inside);
    markSeparate(function);
    auto builder = OpBuilder::atBlockEnd(&function.front());
    builder.clone(*loop, inside);
    func::ReturnOp::create(builder, loop->getLoc());
    builder.setInsertionPoint(loop);
    func::CallOp::create(builder, loop->getLoc(), function,
                         outliner.arguments());
    loop->erase();
  }
};

} // namespace
