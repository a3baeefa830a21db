//===- KernelSelection.cpp - Which kernels to tune ------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Tuner/KernelSelection.h"
#include "tonno/Backend/Backend.h"
#include "tonno/Transforms/NestedFunctions.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"

#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tonno;

/// A module has no place of its own; its first function has.
static Location placeOf(ModuleOp module) {
  auto functions = module.getOps<func::FuncOp>();
  return functions.empty() ? module.getLoc() : (*functions.begin()).getLoc();
}

SmallVector<func::FuncOp>
tonno::findMeasurable(ArrayRef<func::FuncOp> functions) {
  SmallVector<func::FuncOp> measurable;
  for (func::FuncOp function : functions) {
    ScopedDiagnosticHandler quiet(function.getContext(),
                                  [](Diagnostic &) { return success(); });
    if (succeeded(launchPlan(function)))
      measurable.push_back(function);
  }
  return measurable.empty() ? llvm::to_vector(functions) : measurable;
}

FailureOr<SmallVector<func::FuncOp>>
tonno::chooseKernels(ModuleOp module, StringRef name, Unmarked unmarked) {
  SmallVector<func::FuncOp> kernels = findKernels(module);
  if (unmarked == Unmarked::include && (kernels.empty() || !name.empty())) {
    auto isPossible = [&](func::FuncOp function) {
      return function.isPublic() && !function.isExternal() &&
             (name.empty() || function.getSymName() == name);
    };
    auto possible = llvm::to_vector(
        llvm::make_filter_range(module.getOps<func::FuncOp>(), isPossible));
    if (!possible.empty())
      return findMeasurable(possible);
  }
  if (!name.empty()) {
    auto isNamed = [&](func::FuncOp kernel) {
      return kernel.getSymName() == name;
    };
    if (auto *named = llvm::find_if(kernels, isNamed); named != kernels.end())
      return SmallVector<func::FuncOp>{*named};
    if (auto function = module.lookupSymbol<func::FuncOp>(name))
      return emitError(function.getLoc(), "@")
             << name << " is no kernel: "
             << (!function.isPublic()
                     ? "it is private"
                     : "it has no knobs, and no linalg op that is given some "
                       "by default; mark what may vary with #tonno.knob");
    if (failed(refuseNestedFunctions(module, name)))
      return failure();
    auto error = emitError(module.getLoc(), "unknown kernel '@") << name << "'";
    if (!kernels.empty()) {
      error << "; the kernels are: ";
      llvm::interleaveComma(kernels, error, [&](func::FuncOp kernel) {
        error << "@" << kernel.getSymName();
      });
    }
    return error;
  }
  if (kernels.empty() && failed(refuseNestedFunctions(module)))
    return failure();
  if (kernels.empty())
    return emitError(placeOf(module))
           << (unmarked == Unmarked::include
                   ? "no kernel: no public function has a body here"
                   : "no kernel: no public function has a #tonno.knob that "
                     "marks what may vary, or a linalg op that is given some "
                     "by default");
  return kernels;
}
