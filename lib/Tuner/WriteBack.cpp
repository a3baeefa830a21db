//===- WriteBack.cpp - Decisions become attributes ------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Tuner/WriteBack.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/ApplyConfiguration.h"
#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

#include <cmath>

using namespace mlir;
using namespace tonno;

static DictionaryAttr provenance(MLIRContext *context,
                                 const KernelOutcome &outcome) {
  Builder builder(context);
  const DecisionRecord &decision = outcome.decision;
  const Comparison &comparison = decision.comparison;
  auto nanoseconds = [&](double seconds) {
    return builder.getI64IntegerAttr(std::llround(seconds * 1e9));
  };
  auto text = [&](StringRef value) { return builder.getStringAttr(value); };
  NamedAttrList entries;
  entries.set("device", text(outcome.device.name));
  entries.set("chip", text(outcome.chip));
  entries.set("verdict", text(toString(comparison.verdict)));
  entries.set("median_ns", nanoseconds(comparison.chosenSeconds()));
  if (comparison.baselineSeconds.n > 0) {
    entries.set("baseline_ns", nanoseconds(comparison.baselineSeconds.median));
    const Interval &speedup = comparison.speedupInterval;
    entries.set("speedup",
                builder.getF64ArrayAttr({speedup.low, speedup.high}));
  }
  entries.set("trials",
              builder.getI64IntegerAttr(static_cast<int64_t>(decision.trials)));
  entries.set("key", text(outcome.key));
  entries.set("artifact", text(decision.artifactHash));
  entries.set("versions", text(decision.versions));
  return entries.getDictionary(context);
}

namespace {

/// The schedules and functions with knobs that several kernels have in their
/// closures and would fill in differently.
class SharedOps {
public:
  SharedOps(ArrayRef<func::FuncOp> kernels, ArrayRef<KernelOutcome> outcomes);

  bool contains(Operation *op) const { return shared.contains(op); }
  /// Erases what nothing references any more.
  void eraseUnused(ModuleOp module);

private:
  llvm::SetVector<Operation *> shared;
};

} // namespace

/// Whether a knob is in `op`, or in what it references.
static bool carriesKnobs(Operation *op, ArrayRef<Operation *> closure) {
  llvm::SmallPtrSet<Operation *, 8> seen = {op};
  SmallVector<Operation *> open = {op};
  while (!open.empty()) {
    Operation *current = open.pop_back_val();
    if (failed(
            walkKnobSites(current, [](const KnobSite &) { return failure(); })))
      return true;
    for (Operation *other : closure) {
      auto symbol = dyn_cast<SymbolOpInterface>(other);
      if (symbol && symbol.getNameAttr() && !seen.contains(other) &&
          !SymbolTable::symbolKnownUseEmpty(symbol.getNameAttr(), current)) {
        seen.insert(other);
        open.push_back(other);
      }
    }
  }
  return false;
}

SharedOps::SharedOps(ArrayRef<func::FuncOp> kernels,
                     ArrayRef<KernelOutcome> outcomes) {
  if (kernels.empty())
    return;
  auto outcomeOf = [&](func::FuncOp kernel) -> const KernelOutcome * {
    const auto *found = llvm::find(kernels, kernel);
    return found == kernels.end() ? nullptr
                                  : &outcomes[found - kernels.begin()];
  };
  llvm::DenseMap<Operation *, func::FuncOp> users;
  for (func::FuncOp kernel :
       findKernels(kernels.front()->getParentOfType<ModuleOp>())) {
    SmallVector<Operation *> closure = closureOf(kernel);
    for (Operation *op : closure) {
      auto [user, isFirst] = users.try_emplace(op, kernel);
      if (isFirst || op == kernel || !carriesKnobs(op, closure))
        continue;
      const KernelOutcome *one = outcomeOf(user->second);
      const KernelOutcome *other = outcomeOf(kernel);
      if (!one || !other || one->decision.values != other->decision.values)
        shared.insert(op);
    }
  }
}

void SharedOps::eraseUnused(ModuleOp module) {
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    for (Operation *op : shared.getArrayRef()) {
      auto symbol = cast<SymbolOpInterface>(op);
      auto function = dyn_cast<func::FuncOp>(op);
      if ((function && function.isPublic()) ||
          !SymbolTable::symbolKnownUseEmpty(op, module.getOperation()))
        continue;
      shared.remove(op);
      symbol.erase();
      hasChanged = true;
      break;
    }
  }
}

/// The kernel's closure, with clones of what it shares.
static SmallVector<Operation *> ownClosure(func::FuncOp kernel,
                                           const SharedOps &shared) {
  SymbolTable symbols(kernel->getParentOfType<ModuleOp>());
  SmallVector<Operation *> closure = closureOf(kernel);
  llvm::DenseMap<StringAttr, StringAttr> renamed;
  for (Operation *&op : closure) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    if (!shared.contains(op) || !symbol || !symbol.getNameAttr())
      continue;
    Operation *clone = op->clone();
    SymbolTable::setSymbolName(
        clone, (symbol.getName() + "_" + kernel.getSymName()).str());
    StringAttr name = symbols.insert(clone, std::next(Block::iterator(op)));
    renamed[symbol.getNameAttr()] = name;
    op = clone;
  }
  // In their own attributes too: a kernel names its schedule there.
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](SymbolRefAttr name)
          -> std::optional<std::pair<Attribute, WalkResult>> {
        StringAttr root = renamed.lookup(name.getRootReference());
        if (!root)
          return std::nullopt;
        return std::make_pair(
            Attribute(SymbolRefAttr::get(root, name.getNestedReferences())),
            WalkResult::skip());
      });
  for (Operation *op : closure)
    replacer.recursivelyReplaceElementsIn(op);
  return closure;
}

static LogicalResult writeBackOne(func::FuncOp kernel,
                                  const KernelOutcome &outcome,
                                  const SharedOps &shared) {
  auto configuration = outcome.space.configuration(outcome.decision.values);
  if (!configuration)
    return emitError(kernel.getLoc(), "the decision does not fit the kernel: ")
           << configuration.error().message;
  if (failed(applyConfiguration(ownClosure(kernel, shared), outcome.space,
                                *configuration, KnobMode::Select)))
    return failure();
  kernel->setAttr(TonnoDialect::kTuned,
                  provenance(kernel.getContext(), outcome));
  return success();
}

LogicalResult tonno::writeBack(ArrayRef<func::FuncOp> kernels,
                               ArrayRef<KernelOutcome> outcomes) {
  if (kernels.empty())
    return success();
  auto module = kernels.front()->getParentOfType<ModuleOp>();
  SharedOps shared(kernels, outcomes);
  for (auto [kernel, outcome] : llvm::zip_equal(kernels, outcomes))
    if (failed(writeBackOne(kernel, outcome, shared)))
      return failure();
  shared.eraseUnused(module);
  return success();
}
