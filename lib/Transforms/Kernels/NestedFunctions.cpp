//===- Functions of nested modules ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/NestedFunctions.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"

#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tonno;

static SmallVector<FunctionOpInterface> findNestedFunctions(ModuleOp module) {
  SmallVector<FunctionOpInterface> functions;
  // gpu.func is one too.
  module.walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
    if (function->getParentOp() != module && function.isPublic() &&
        !function.isExternal() &&
        function->getParentOp()->hasTrait<OpTrait::SymbolTable>())
      functions.push_back(function);
    return WalkResult::skip();
  });
  return functions;
}

/// Returns "@inner::@k" of @k in module @inner.
static std::string pathOf(FunctionOpInterface function) {
  std::string path = "@" + function.getName().str();
  for (Operation *outer = function->getParentOp(); outer->getParentOp();
       outer = outer->getParentOp())
    if (StringAttr name = SymbolTable::getSymbolName(outer))
      path = "@" + name.str() + "::" + path;
  return path;
}

static LogicalResult refuse(ArrayRef<FunctionOpInterface> functions) {
  if (functions.empty())
    return success();
  InFlightDiagnostic error =
      emitError(functions.front()->getParentOp()->getLoc(),
                "kernels are func.func of the outermost module, not of nested "
                "ones: ");
  llvm::interleaveComma(functions, error, [&](FunctionOpInterface function) {
    error << pathOf(function);
  });
  return error << "; move them there, or their module to a file of its own";
}

LogicalResult tonno::refuseNestedFunctions(ModuleOp module) {
  bool hasOwn =
      llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp function) {
        return function.isPublic() && !function.isExternal();
      });
  return hasOwn ? success() : refuse(findNestedFunctions(module));
}

LogicalResult tonno::refuseNestedFunctions(ModuleOp module, StringRef name) {
  name.consume_front("@");
  SmallVector<FunctionOpInterface> functions = findNestedFunctions(module);
  llvm::erase_if(functions, [&](FunctionOpInterface function) {
    return function.getName() != name && pathOf(function) != ("@" + name).str();
  });
  return refuse(functions);
}

static bool computes(func::FuncOp function) {
  return function.walk([](linalg::LinalgOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

void tonno::warnOfNestedKernels(ModuleOp module) {
  for (FunctionOpInterface nested : findNestedFunctions(module)) {
    auto function = dyn_cast<func::FuncOp>(*nested);
    auto inner = dyn_cast<ModuleOp>(nested->getParentOp());
    bool hasKnobs =
        inner && function && llvm::is_contained(findKernels(inner), function);
    if (function && (hasKnobs || computes(function)))
      emitWarning(function.getLoc())
          << pathOf(nested)
          << " is left as it is: kernels are functions of the outermost "
             "module; move it there";
  }
}
