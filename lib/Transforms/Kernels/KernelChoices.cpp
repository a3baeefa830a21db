//===- What several kernels choose ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/KernelChoices.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace tonno;

namespace {

/// The schedules and functions with knobs that several kernels have in their
/// closures and would fill in differently.
class SharedOps {
public:
  SharedOps(ArrayRef<func::FuncOp> kernels, ArrayRef<KernelChoice> choices);

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
                     ArrayRef<KernelChoice> choices) {
  auto choiceOf = [&](func::FuncOp kernel) -> const KernelChoice * {
    const auto *found = llvm::find(kernels, kernel);
    return found == kernels.end() ? nullptr : &choices[found - kernels.begin()];
  };
  llvm::MapVector<Operation *, SmallVector<const KernelChoice *>> users;
  for (func::FuncOp kernel :
       findKernels(kernels.front()->getParentOfType<ModuleOp>())) {
    SmallVector<Operation *> closure = closureOf(kernel);
    for (Operation *op : closure)
      if (carriesKnobs(op, closure))
        users[op].push_back(choiceOf(kernel));
  }
  for (const auto &[op, of] : users) {
    const KernelChoice *first = of.front();
    if (!llvm::all_of(of,
                      [&](const KernelChoice *other) {
                        return first && other &&
                               first->values() == other->values();
                      }) &&
        of.size() > 1)
      shared.insert(op);
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

/// A copy of a shared op for one kernel: nobody else's.
static Operation *cloneFor(func::FuncOp kernel, SymbolOpInterface op) {
  Operation *clone = op->clone();
  SymbolTable::setSymbolName(clone,
                             (op.getName() + "_" + kernel.getSymName()).str());
  if (auto function = dyn_cast<func::FuncOp>(clone)) {
    function.setPrivate();
    function->removeAttr(TonnoDialect::kTuned); // which speaks of the other
  }
  return clone;
}

/// Lets the symbols that the ops name be others.
static void renameIn(ArrayRef<Operation *> ops,
                     const llvm::DenseMap<StringAttr, StringAttr> &names) {
  // In their own attributes too: a kernel names its schedule there.
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](SymbolRefAttr name)
          -> std::optional<std::pair<Attribute, WalkResult>> {
        StringAttr root = names.lookup(name.getRootReference());
        if (!root)
          return std::nullopt;
        return std::make_pair(
            Attribute(SymbolRefAttr::get(root, name.getNestedReferences())),
            WalkResult::skip());
      });
  for (Operation *op : ops)
    replacer.recursivelyReplaceElementsIn(op);
}

namespace {

/// A kernel's closure, with clones of what it shares, and the names of these.
struct OwnClosure {
  SmallVector<Operation *> ops;
  llvm::DenseMap<StringAttr, StringAttr> names;
};

} // namespace

static FailureOr<OwnClosure> ownClosure(func::FuncOp kernel,
                                        const SharedOps &shared) {
  SymbolTable symbols(kernel->getParentOfType<ModuleOp>());
  OwnClosure own;
  own.ops = closureOf(kernel);
  for (Operation *&op : own.ops) {
    if (op == kernel || !shared.contains(op))
      continue;
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    if (!symbol || !symbol.getNameAttr())
      return op->emitOpError()
             << "has choices that several kernels make differently, and no "
                "name that a copy for each could have; give it one, and name "
                "it in '"
             << TonnoDialect::kSchedule << "'";
    Operation *clone = cloneFor(kernel, symbol);
    own.names[symbol.getNameAttr()] =
        symbols.insert(clone, std::next(Block::iterator(op)));
    op = clone;
  }
  return own;
}

LogicalResult tonno::applyToKernels(ArrayRef<func::FuncOp> kernels,
                                    ArrayRef<KernelChoice> choices,
                                    KnobMode mode) {
  if (kernels.empty())
    return success();
  auto module = kernels.front()->getParentOfType<ModuleOp>();
  SharedOps shared(kernels, choices);
  // All copies are made while the originals still are what they were.
  SmallVector<OwnClosure> closures;
  for (func::FuncOp kernel : kernels) {
    auto own = ownClosure(kernel, shared);
    if (failed(own))
      return failure();
    closures.push_back(std::move(*own));
  }
  for (auto [own, choice] : llvm::zip_equal(closures, choices)) {
    renameIn(own.ops, own.names);
    if (failed(applyConfiguration(own.ops, choice.space, choice.configuration,
                                  mode)))
      return failure();
  }
  shared.eraseUnused(module);
  return success();
}
