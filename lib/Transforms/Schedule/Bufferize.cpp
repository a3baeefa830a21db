//===- Bufferize.cpp - Tensors to buffers ---------------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Transforms/Schedule/CopiesOfCarried.h"
#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tonno {
#define GEN_PASS_DEF_BUFFERIZEPASS
#define GEN_PASS_DEF_ELIMINATEEMPTYTENSORSPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;

/// What the analysis says, before anything is changed, of places that have to
/// be written although something else may be read there.
static bool isConflict(const Diagnostic &diagnostic) {
  return StringRef(diagnostic.str()).contains("under the given constraints");
}

/// Runs `step`, which analyses `root` first; where that finds a conflict,
/// copies are made and it runs again.
static LogicalResult runWithCopiesIfNeeded(Operation *root,
                                           function_ref<LogicalResult()> step) {
  MLIRContext *context = root->getContext();
  std::vector<Diagnostic> diagnostics;
  LogicalResult result = success();
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &one) {
      diagnostics.push_back(std::move(one));
    });
    result = step();
  }
  if (failed(result) && llvm::any_of(diagnostics, isConflict)) {
    tonno::copyCarried(root);
    return step();
  }
  for (Diagnostic &one : diagnostics)
    context->getDiagEngine().emit(std::move(one));
  return result;
}

namespace {

struct EliminateEmptyTensors
    : tonno::impl::EliminateEmptyTensorsPassBase<EliminateEmptyTensors> {
  using EliminateEmptyTensorsPassBase::EliminateEmptyTensorsPassBase;

  void runOnOperation() override {
    auto eliminate = [&] {
      IRRewriter rewriter(&getContext());
      return bufferization::eliminateEmptyTensors(rewriter, getOperation());
    };
    if (failed(runWithCopiesIfNeeded(getOperation(), eliminate)))
      signalPassFailure();
  }
};

struct Bufferize : tonno::impl::BufferizePassBase<Bufferize> {
  using BufferizePassBase::BufferizePassBase;

  void runOnOperation() override {
    auto bufferize = [&] {
      bufferization::OneShotBufferizationOptions options;
      // An allocation that can't be workspace gets a message of our own.
      options.allowReturnAllocsFromLoops = true;
      bufferization::BufferizationState state;
      return bufferization::runOneShotBufferize(getOperation(), options, state);
    };
    if (failed(runWithCopiesIfNeeded(getOperation(), bufferize)))
      signalPassFailure();
  }
};

} // namespace
