//===- StripKnobs.cpp - Leave plain attributes ----------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/ApplyConfiguration.h"
#include "tonno/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"

namespace tonno {
#define GEN_PASS_DEF_STRIPKNOBS
#include "tonno/Transforms/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

namespace {

struct StripKnobsPass : tonno::impl::StripKnobsBase<StripKnobsPass> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      op->removeDiscardableAttr(TonnoDialect::kConstraints);
      op->removeDiscardableAttr(TonnoDialect::kKnobs);
    });
    if (failed(replaceKnobs(getOperation(), KnobMode::Resolve,
                            [](KnobAttr knob) { return knob.getValue(); })))
      signalPassFailure();
  }
};

} // namespace
