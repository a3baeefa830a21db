//===- Inline the callees of kernels --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"

#include "llvm/ADT/SetVector.h"
#include "mlir/Transforms/Inliner.h"
#include "mlir/Transforms/InliningUtils.h"

namespace tonno {
#define GEN_PASS_DEF_INLINECALLSPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

using Functions = llvm::SetVector<func::FuncOp>;

/// Checks that all callees of `function` have bodies and do not recurse;
/// `stack` holds the callers.
static LogicalResult checkCalls(func::FuncOp function,
                                SymbolTableCollection &symbols,
                                Functions &stack, Functions &done) {
  if (done.contains(function))
    return success();
  stack.insert(function);
  auto check = [&](func::CallOp call) -> LogicalResult {
    auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    if (!callee || callee.isExternal())
      return call.emitError() << "'" << call.getCallee()
                              << "' has no body in the input; a kernel can "
                                 "call only functions with a body";
    if (stack.contains(callee))
      return call.emitError()
             << "'" << call.getCallee()
             << "' is recursive, which a kernel cannot be; use a loop";
    return checkCalls(callee, symbols, stack, done);
  };
  LogicalResult result = checkOps(function, check);
  stack.pop_back();
  done.insert(function);
  return result;
}

static LogicalResult inlineCall(func::CallOp call, func::FuncOp callee) {
  bool isBlock = callee.getBody().hasOneBlock();
  if (!isBlock && call->getParentOp()->mightHaveTrait<OpTrait::SingleBlock>())
    return call.emitError()
           << "'" << call.getCallee() << "' has more than one block, and '"
           << call->getParentOp()->getName() << "' can have only one";
  InlinerInterface inliner(call.getContext());
  InlinerConfig config;
  if (failed(mlir::inlineCall(inliner, config.getCloneCallback(), call, callee,
                              &callee.getBody())))
    return call.emitError() << "'" << call.getCallee() << "' cannot be inlined";
  call.erase();
  return success();
}

LogicalResult tonno::inlineCalls(func::FuncOp kernel) {
  SymbolTableCollection symbols;
  Functions stack, done;
  if (failed(checkCalls(kernel, symbols, stack, done)))
    return failure();
  SmallVector<func::CallOp> calls;
  while (!(calls = collectOps<func::CallOp>(kernel)).empty())
    for (func::CallOp call : calls)
      if (failed(inlineCall(call, symbols.lookupNearestSymbolFrom<func::FuncOp>(
                                      call, call.getCalleeAttr()))))
        return failure();
  kernel->removeAttr(TonnoDialect::kVariants); // which are a part of it now
  return success();
}

void tonno::eraseUnused(SmallVector<SymbolOpInterface> symbols) {
  auto erase = [&](SymbolOpInterface symbol) {
    bool isUnused = SymbolTable::symbolKnownUseEmpty(
        symbol, symbol->getParentOfType<ModuleOp>());
    if (isUnused)
      symbol.erase();
    return isUnused;
  };
  size_t before;
  do {
    before = symbols.size();
    llvm::erase_if(symbols, erase);
  } while (symbols.size() != before);
}

namespace {

struct InlineCalls : tonno::impl::InlineCallsPassBase<InlineCalls> {
  using InlineCallsPassBase::InlineCallsPassBase;

  void runOnOperation() override {
    SmallVector<SymbolOpInterface> others;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      bool chosen = kernel.empty() ? function.isPublic()
                                   : function.getName() == kernel.getValue();
      if (!chosen) {
        others.push_back(cast<SymbolOpInterface>(*function));
        continue;
      }
      if (failed(inlineCalls(function)))
        return signalPassFailure();
      // Candidates are compared with it; it is no part of the kernel.
      function->removeAttr(TonnoDialect::kReference);
    }
    eraseUnused(others);
  }
};

} // namespace
