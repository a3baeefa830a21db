//===- Names apart from those of libraries --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {
#define GEN_PASS_DEF_GUARDNAMESPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

namespace {

struct GuardNames : tonno::impl::GuardNamesPassBase<GuardNames> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() &&
          failed(symbols.rename(function,
                                function.getName().str() + kernelSuffix.str())))
        return signalPassFailure();
  }
};

} // namespace
