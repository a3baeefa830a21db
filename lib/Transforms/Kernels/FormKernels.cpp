//===- Split functions into kernels ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Transforms/DefaultSchedule.h"
#include "tonno/Transforms/Passes.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"
#include "tonno/Transforms/UserLowering.h"
#include "DefaultSpace/DefaultSpaces.h"
#include "Kernels/KernelGroups.h"

#include "llvm/ADT/SetVector.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tonno {
#define GEN_PASS_DEF_FORMKERNELS
#include "tonno/Transforms/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Replaces a group of ops, the last of which is `root`, with a call:
///
///   %1 = linalg.matmul ins(%x, %w : ...) outs(%0 : ...)
///   %2 = linalg.generic ins(%1, %b : ...) ...
///
/// becomes
///
///   %2 = call @f.kernel_0(%x, %w, %b)
static void replaceWithCall(KernelGroup &group, func::FuncOp kernel) {
  OpBuilder builder(group.root);
  auto call = func::CallOp::create(builder, group.root->getLoc(), kernel,
                                   findKernelInputs(group.ops));
  for (auto [value, result] : llvm::zip_equal(group.results, call.getResults()))
    value.replaceAllUsesWith(result);
  // Ops that other kernels repeat stay until the last of these.
  for (Operation *op : llvm::reverse(group.ops))
    if (op->use_empty())
      op->erase();
}

/// Outlines each group of ops that the schedule computes together, if there are
/// several.
static void formKernels(func::FuncOp function,
                        const DefaultSchedule &schedule) {
  if (function.isExternal())
    return;
  OwningOpRef<func::FuncOp> former = flattenBody(function);
  if (!former)
    return;
  // Dead ops would become calls, which no pass erases.
  IRRewriter rewriter(function.getContext());
  (void)runRegionDCE(rewriter, function->getRegions());
  SmallVector<KernelGroup> groups =
      findKernelGroups(function, schedule, Configs::keep);
  if (groups.empty())
    return swapBodies(function, *former);
  SymbolTable symbols(function->getParentOp());
  DistinctKernels kernels(Configs::keep);
  Operation *last = function;
  llvm::SetVector<Block *> unsorted;
  for (KernelGroup &group : groups) {
    if (group.results.size() > group.root->getNumResults())
      unsorted.insert(group.root->getBlock());
    auto [number, isNew] = kernels.add(function, group);
    func::FuncOp kernel = kernels[number];
    if (isNew) {
      StringRef source = findSourceName(group);
      kernel.setName((function.getSymName() + "." +
                      (source.empty() ? kernel.getSymName() : source))
                         .str());
      kernel.setPrivate();
      symbols.insert(kernel, std::next(last->getIterator()));
      last = kernel;
    }
    replaceWithCall(group, kernel);
  }
  // Ops that use another result than the root's may precede the call.
  for (Block *block : unsorted)
    sortTopologically(block);
}

namespace {

struct FormKernelsPass : tonno::impl::FormKernelsBase<FormKernelsPass> {
  using FormKernelsBase::FormKernelsBase;

  void runOnOperation() override {
    Result<DefaultSchedule> schedule = findDefaultSchedule(target, chip);
    if (!schedule) {
      emitError(getOperation().getLoc(), schedule.error().message);
      return signalPassFailure();
    }
    SmallVector<func::FuncOp> kernels = findKernels(getOperation());
    SmallVector<SymbolOpInterface> callees = findCallees(getOperation());
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (function.isPublic() && !llvm::is_contained(kernels, function) &&
          !hasOwnLowering(function) && !getSchedule(function) &&
          !isReference(function))
        formKernels(function, *schedule);
    eraseUnused(std::move(callees));
  }
};

} // namespace
