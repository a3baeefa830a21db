//===- Give kernels a default space ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Annotator.h"
#include "tonno/Transforms/Passes.h"
#include "ThreadsKnob.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

namespace tonno {
#define GEN_PASS_DEF_ANNOTATE
#include "tonno/Transforms/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

namespace {

struct AnnotatePass : tonno::impl::AnnotateBase<AnnotatePass> {
  using AnnotateBase::AnnotateBase;

  void runOnOperation() override {
    Result<Annotator> annotate = annotatorFor(target, chip);
    if (!annotate) {
      emitError(getOperation().getLoc(), annotate.error().message);
      return signalPassFailure();
    }
    if (!threads.empty() && (target != "host" || !llvm::is_sorted(threads))) {
      emitError(getOperation().getLoc(),
                "'threads' must ascend, and is for the host alone");
      return signalPassFailure();
    }
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function.isPublic())
        functions.push_back(function);
    annotateFunctions(functions, *annotate);
    for (func::FuncOp function : functions)
      offerThreads(function, threads);
  }
};

} // namespace
