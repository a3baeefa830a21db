//===- Assertions without a C library -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tonno {
#define GEN_PASS_DEF_LOWERASSERTSPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

namespace {

struct LowerAsserts : tonno::impl::LowerAssertsPassBase<LowerAsserts> {
  void runOnOperation() override {
    getOperation()->walk([](cf::AssertOp assertion) {
      OpBuilder builder(assertion);
      Location loc = assertion.getLoc();
      Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
      Value fails =
          arith::XOrIOp::create(builder, loc, assertion.getArg(), yes);
      auto guarded =
          scf::IfOp::create(builder, loc, fails, /*withElseRegion=*/false);
      builder.setInsertionPoint(guarded.thenYield());
      LLVM::Trap::create(builder, loc);
      assertion.erase();
    });
  }
};

} // namespace
