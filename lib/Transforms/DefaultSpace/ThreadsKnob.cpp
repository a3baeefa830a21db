//===- ThreadsKnob.cpp - A knob for the threads of ops --------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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

/// As the host's schedule does; each part has what it gets of a configuration.
static void takeAllApart(func::FuncOp function) {
  SmallVector<Operation *> composed;
  function.walk([&](Operation *op) {
    if (isComposed(op))
      composed.push_back(op);
  });
  IRRewriter rewriter(function.getContext());
  for (Operation *op : composed) {
    DictionaryAttr config = configOf(op);
    auto parts = takeApart(rewriter, op);
    if (config)
      configureParts(parts, config);
  }
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

unsigned tonno::offerThreads(func::FuncOp function, ArrayRef<int64_t> options) {
  if (options.empty() || hasOwnLowering(function) || scheduleOf(function))
    return 0;
  SmallVector<linalg::LinalgOp> ops;
  function.walk([&](linalg::LinalgOp op) {
    if (configOf(op) && !op.hasDynamicShape())
      ops.push_back(op);
  });
  // Ops that stand for several hide what these are computed with.
  IRMapping copies;
  OwningOpRef<func::FuncOp> copy = cast<func::FuncOp>(function->clone(copies));
  takeAllApart(*copy);
  auto fused = fusedWithOthers(*copy);
  llvm::erase_if(ops, [&](linalg::LinalgOp op) {
    return fused.contains(copies.lookup(op.getOperation())) ||
           configOf(op).get(lowering_config::kThreads) ||
           !canBeShared(op, *llvm::max_element(options));
  });
  if (ops.empty())
    return 0;
  Attribute knob =
      KnobSizes(function).choice("T", options, options.front()).attribute;
  for (linalg::LinalgOp op : ops) {
    NamedAttrList config(configOf(op));
    config.set(lowering_config::kThreads, knob);
    op->setAttr(TonnoDialect::kLoweringConfig,
                config.getDictionary(op.getContext()));
  }
  return ops.size();
}
