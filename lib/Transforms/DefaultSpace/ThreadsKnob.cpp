//===- A knob for the threads of ops --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ThreadsKnob.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/KernelSchedule.h"
#include "tonno/Transforms/Schedule/Decompose.h"
#include "tonno/Transforms/Schedule/FusionGroup.h"
#include "tonno/Transforms/Schedule/SharedLoop.h"
#include "KnobSizes.h"

#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;
using namespace tonno;

/// Of the loops that `fuse` tiles, ones: whatever knobs stand there.
static SmallVector<int64_t> fusedLoops(ArrayAttr fuse) {
  return llvm::map_to_vector(fuse, [](Attribute size) -> int64_t {
    auto integer = dyn_cast<IntegerAttr>(size);
    return integer && integer.getInt() == 0 ? 0 : 1;
  });
}

static DictionaryAttr configOf(Operation *op) {
  return op->getAttrOfType<DictionaryAttr>(TonnoDialect::kLoweringConfig);
}

/// What is computed together with an op that follows.
static llvm::DenseSet<Operation *> fusedWithOthers(func::FuncOp function) {
  llvm::DenseSet<Operation *> fused;
  function.walk([&](linalg::LinalgOp root) {
    DictionaryAttr config = configOf(root);
    auto fuse =
        config ? config.getAs<ArrayAttr>(lowering_config::kFuse) : ArrayAttr();
    if (!fuse || root.hasDynamicShape())
      return;
    for (Operation *op : fusionGroup(root, fusedLoops(fuse)))
      if (op != root)
        fused.insert(op);
  });
  return fused;
}

namespace {

/// A function as the host's schedule will see it, configurations handed on:
/// ops that stand for several hide what these are computed with.
class Scheduled {
public:
  explicit Scheduled(func::FuncOp function);

  /// Whether what the op stands for can share `threads` given to it.
  bool canShare(Operation *op, int64_t threads) const;

private:
  OwningOpRef<func::FuncOp> copy;
  llvm::DenseMap<Operation *, SmallVector<linalg::LinalgOp>> parts;
  llvm::DenseSet<Operation *> fused;
};

} // namespace

Scheduled::Scheduled(func::FuncOp function) {
  IRMapping copies;
  copy = cast<func::FuncOp>(function->clone(copies));
  SmallVector<Operation *> composed;
  function.walk([&](Operation *op) {
    if (isComposed(op))
      composed.push_back(op);
    else if (isa<linalg::LinalgOp>(op))
      parts[op] = {cast<linalg::LinalgOp>(copies.lookup(op))};
  });
  IRRewriter rewriter(function.getContext());
  for (Operation *op : composed) {
    auto made = takeApart(rewriter, copies.lookup(op));
    if (DictionaryAttr config = configOf(op))
      configureParts(made, config);
    parts[op] = std::move(made);
  }
  fused = fusedWithOthers(*copy);
}

bool Scheduled::canShare(Operation *op, int64_t threads) const {
  auto found = parts.find(op);
  if (found == parts.end() || found->second.empty())
    return false;
  // Computed together, all are shared with the last one.
  ArrayRef<linalg::LinalgOp> sharing = found->second;
  if (configOf(op).get(lowering_config::kFuse))
    sharing = sharing.take_back();
  return llvm::all_of(sharing, [&](linalg::LinalgOp part) {
    return !fused.contains(part) && !part.hasDynamicShape() &&
           canBeShared(part, threads);
  });
}

unsigned tonno::offerThreads(func::FuncOp function, ArrayRef<int64_t> options) {
  if (options.empty() || hasOwnLowering(function) || scheduleOf(function))
    return 0;
  Scheduled scheduled(function);
  int64_t most = *llvm::max_element(options);
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (configOf(op) && !configOf(op).get(lowering_config::kThreads) &&
        scheduled.canShare(op, most))
      ops.push_back(op);
  });
  if (ops.empty())
    return 0;
  Attribute knob =
      KnobSizes(function).choice("T", options, options.front()).attribute;
  for (Operation *op : ops) {
    NamedAttrList config(configOf(op));
    config.set(lowering_config::kThreads, knob);
    op->setAttr(TonnoDialect::kLoweringConfig,
                config.getDictionary(op->getContext()));
  }
  return ops.size();
}
