//===- Default spaces of whole call graphs --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Annotator.h"
#include "tonno/Transforms/Schedule/ConvertToLinalg.h"
#include "tonno/Transforms/Schedule/InlineCalls.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tonno;

/// Returns the function without calls and with linalg ops for what computes
/// tensors; null if it can't be brought to that form. Lowering it says why.
static OwningOpRef<func::FuncOp> flatten(func::FuncOp function) {
  ScopedDiagnosticHandler quiet(function.getContext(),
                                [](Diagnostic &) { return success(); });
  OwningOpRef<func::FuncOp> flat = function.clone();
  // Within the module, where it finds what it names.
  SymbolTable(function->getParentOp()).insert(*flat);
  bool isFlat =
      succeeded(inlineCalls(*flat)) && succeeded(convertToLinalg(*flat));
  flat->getOperation()->remove();
  return isFlat ? std::move(flat) : nullptr;
}

static void swapBodies(func::FuncOp one, func::FuncOp other) {
  Region body;
  body.takeBody(one.getBody());
  one.getBody().takeBody(other.getBody());
  other.getBody().takeBody(body);
}

bool tonno::isReference(func::FuncOp function) {
  auto isNamedBy = [&](func::FuncOp kernel) {
    auto name =
        kernel->getAttrOfType<FlatSymbolRefAttr>(TonnoDialect::kReference);
    return name && kernel != function &&
           name.getAttr() == function.getSymNameAttr();
  };
  return llvm::any_of(
      function->getParentOfType<ModuleOp>().getOps<func::FuncOp>(), isNamedBy);
}

/// Returns the private functions that have a body and a use.
static SmallVector<func::FuncOp> findCallees(ModuleOp module) {
  SmallVector<func::FuncOp> callees;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPrivate() && !function.isExternal() &&
        !SymbolTable::symbolKnownUseEmpty(function, module))
      callees.push_back(function);
  return callees;
}

void tonno::annotateFunctions(ArrayRef<func::FuncOp> functions,
                              const Annotator &annotate) {
  if (functions.empty())
    return;
  auto module = functions.front()->getParentOfType<ModuleOp>();
  SmallVector<func::FuncOp> marked = findKernels(module);
  SmallVector<func::FuncOp> callees = findCallees(module);
  // All before the first gets knobs, which its callers would get too.
  SmallVector<OwningOpRef<func::FuncOp>> flat;
  for (func::FuncOp function : functions)
    flat.push_back(function.isExternal() || hasOwnLowering(function) ||
                           llvm::is_contained(marked, function)
                       ? nullptr
                       : flatten(function));
  for (auto [function, flattened] : llvm::zip_equal(functions, flat)) {
    if (isReference(function))
      continue;
    if (flattened)
      swapBodies(function, *flattened);
    if (annotate(function) == 0 && flattened)
      swapBodies(function, *flattened);
  }
  eraseUnused(std::move(callees));
}
