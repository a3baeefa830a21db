//===- Bufferize.cpp - Tensors to buffers ---------------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Transforms/Schedule/CopiesOfCarried.h"
#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Bufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <optional>

namespace tonno {
#define GEN_PASS_DEF_BUFFERIZEPASS
#define GEN_PASS_DEF_ELIMINATEEMPTYTENSORSPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;

using OneShotOptions = bufferization::OneShotBufferizationOptions;
using OneShotState = bufferization::OneShotAnalysisState;
using Analysis = function_ref<LogicalResult(OneShotState &)>;

/// Analyses `root`, which changes nothing. What is then to be written although
/// something else may be read there is refused: copies are made, and it is
/// analysed again.
static LogicalResult
analyzeWithCopiesIfNeeded(Operation *root, const OneShotOptions &options,
                          Analysis analyze,
                          std::optional<OneShotState> &state) {
  {
    ScopedDiagnosticHandler untold(root->getContext(),
                                   [](Diagnostic &) { return success(); });
    state.emplace(root, options);
    if (succeeded(analyze(*state)))
      return success();
  }
  tonno::copyCarried(root);
  state.emplace(root, options);
  return analyze(*state);
}

namespace {

struct EliminateEmptyTensors
    : tonno::impl::EliminateEmptyTensorsPassBase<EliminateEmptyTensors> {
  using EliminateEmptyTensorsPassBase::EliminateEmptyTensorsPassBase;

  void runOnOperation() override {
    OneShotOptions options;
    options.allowReturnAllocsFromLoops = true;
    options.bufferizeFunctionBoundaries = true;
    auto analyze = [&](OneShotState &state) {
      return bufferization::analyzeModuleOp(getOperation(), state);
    };
    std::optional<OneShotState> state;
    IRRewriter rewriter(&getContext());
    if (failed(analyzeWithCopiesIfNeeded(getOperation(), options, analyze,
                                         state)) ||
        failed(bufferization::eliminateEmptyTensors(rewriter, getOperation(),
                                                    *state)))
      signalPassFailure();
  }
};

struct Bufferize : tonno::impl::BufferizePassBase<Bufferize> {
  using BufferizePassBase::BufferizePassBase;

  void runOnOperation() override {
    OneShotOptions options;
    // An allocation that can't be workspace gets a message of our own.
    options.allowReturnAllocsFromLoops = true;
    auto analyze = [&](OneShotState &state) {
      return bufferization::analyzeOp(getOperation(), state);
    };
    std::optional<OneShotState> analysis;
    bufferization::BufferizationState state;
    if (failed(analyzeWithCopiesIfNeeded(getOperation(), options, analyze,
                                         analysis)) ||
        failed(bufferization::insertTensorCopies(getOperation(), *analysis,
                                                 state)) ||
        failed(bufferization::bufferizeOp(getOperation(), options, state)))
      signalPassFailure();
  }
};

} // namespace
