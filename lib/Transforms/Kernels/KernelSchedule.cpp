//===- The schedule of a kernel -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/KernelSchedule.h"
#include "tonno/Dialect/TonnoDialect.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace tonno;
using transform::NamedSequenceOp;
using transform::TransformDialect;

static bool isLibrary(ModuleOp module) {
  return module->hasAttr(TransformDialect::kWithNamedSequenceAttrName);
}

/// What the name stands for, if it is a sequence with a body.
static NamedSequenceOp lookupSequence(ModuleOp module, SymbolRefAttr name) {
  Operation *found = SymbolTable::lookupSymbolIn(module, name);
  // Upstream's files have schedules in a nested module without a name.
  for (auto nested : module.getOps<ModuleOp>())
    if (!found && isLibrary(nested))
      found = SymbolTable::lookupSymbolIn(nested, name);
  auto sequence = dyn_cast_if_present<NamedSequenceOp>(found);
  return sequence && !sequence.isExternal() ? sequence : NamedSequenceOp();
}

FailureOr<NamedSequenceOp> tonno::findSchedule(func::FuncOp kernel) {
  auto name = kernel->getAttrOfType<SymbolRefAttr>(TonnoDialect::kSchedule);
  if (!name)
    return NamedSequenceOp();
  if (auto sequence = lookupSequence(kernel->getParentOfType<ModuleOp>(), name))
    return sequence;
  return kernel.emitError()
         << "'" << TonnoDialect::kSchedule << "' names " << name
         << ", which is no transform.named_sequence with a "
            "body in this module";
}

NamedSequenceOp tonno::scheduleOf(func::FuncOp kernel) {
  if (auto name = kernel->getAttrOfType<SymbolRefAttr>(TonnoDialect::kSchedule))
    return lookupSequence(kernel->getParentOfType<ModuleOp>(), name);
  return findLoneSchedule(kernel);
}

/// The functions that could be a module's kernel: public, with a body, and
/// referenced by no other.
static SmallVector<func::FuncOp> findRoots(ModuleOp module) {
  llvm::DenseSet<StringAttr> referenced;
  for (auto function : module.getOps<func::FuncOp>())
    if (std::optional<SymbolTable::UseRange> uses =
            SymbolTable::getSymbolUses(function.getOperation()))
      for (SymbolTable::SymbolUse use : *uses)
        if (use.getSymbolRef().getRootReference() != function.getSymNameAttr())
          referenced.insert(use.getSymbolRef().getRootReference());
  SmallVector<func::FuncOp> roots;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal() &&
        !referenced.contains(function.getSymNameAttr()))
      roots.push_back(function);
  return roots;
}

/// The module's entry points, in it or in modules nested in it.
static SmallVector<NamedSequenceOp> findEntries(ModuleOp module) {
  SmallVector<NamedSequenceOp> entries;
  auto collect = [&](ModuleOp library) {
    auto entry = library.lookupSymbol<NamedSequenceOp>(
        TransformDialect::kTransformEntryPointSymbolName);
    if (entry && !entry.isExternal())
      entries.push_back(entry);
  };
  collect(module);
  for (auto nested : module.getOps<ModuleOp>())
    if (isLibrary(nested))
      collect(nested);
  return entries;
}

static bool anyNamesSchedule(ModuleOp module) {
  return llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp f) {
    return f->hasAttr(TonnoDialect::kSchedule);
  });
}

NamedSequenceOp tonno::findLoneSchedule(func::FuncOp kernel) {
  auto module = kernel->getParentOfType<ModuleOp>();
  if (kernel->hasAttr(TonnoDialect::kPipeline) || anyNamesSchedule(module))
    return {};
  SmallVector<NamedSequenceOp> entries = findEntries(module);
  if (entries.size() != 1)
    return {};
  SmallVector<func::FuncOp> roots = findRoots(module);
  return roots.size() == 1 && roots.front() == kernel ? entries.front()
                                                      : NamedSequenceOp();
}

LogicalResult tonno::verifySchedules(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(findSchedule(function)))
      return failure();
  SmallVector<NamedSequenceOp> entries = findEntries(module);
  SmallVector<func::FuncOp> roots = findRoots(module);
  if (entries.size() != 1 || roots.size() < 2 || anyNamesSchedule(module))
    return success();
  bool hasChoices = entries.front()
                        ->walk([](Operation *op) {
                          return isa<transform::tune::KnobOp,
                                     transform::tune::AlternativesOp>(op)
                                     ? WalkResult::interrupt()
                                     : WalkResult::advance();
                        })
                        .wasInterrupted();
  if (!hasChoices)
    return success();
  InFlightDiagnostic error = entries.front().emitError()
                             << "nobody says whose schedule this is; name it, '"
                             << TonnoDialect::kSchedule << " = @"
                             << TransformDialect::kTransformEntryPointSymbolName
                             << "', on the function it is for: ";
  llvm::interleaveComma(roots, error, [&](func::FuncOp root) {
    error << "@" << root.getSymName();
  });
  return error;
}

void tonno::eraseSchedules(ModuleOp module) {
  for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
    auto nested = dyn_cast<ModuleOp>(op);
    bool isNestedLibrary = nested && isLibrary(nested);
    if (isNestedLibrary)
      eraseSchedules(nested);
    if ((isNestedLibrary && nested.getBody()->empty()) ||
        isa_and_nonnull<TransformDialect>(op.getDialect()))
      op.erase();
  }
  module->removeAttr(TransformDialect::kWithNamedSequenceAttrName);
}
