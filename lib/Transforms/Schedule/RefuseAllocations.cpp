//===- RefuseAllocations.cpp - Kernels allocate nothing -------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tonno {
#define GEN_PASS_DEF_REFUSEALLOCATIONSPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;

namespace {

struct RefuseAllocations
    : tonno::impl::RefuseAllocationsPassBase<RefuseAllocations> {
  void runOnOperation() override {
    getOperation().walk([&](memref::AllocOp allocation) {
      allocation.emitError()
          << "this needs scratch memory of type " << allocation.getType()
          << "; kernels with intermediate buffers are not supported";
      signalPassFailure();
    });
    markAllAnalysesPreserved();
  }
};

} // namespace
