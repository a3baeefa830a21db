//===- Roundings that are not folded --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tonno {
#define GEN_PASS_DEF_ROUNDEACHOPPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

using arith::FastMathFlags;

static bool mayContract(Operation *op) {
  auto math = dyn_cast_if_present<arith::ArithFastMathInterface>(op);
  return math && math.getFastMathFlagsAttr() &&
         bitEnumContainsAll(math.getFastMathFlagsAttr().getValue(),
                            FastMathFlags::contract);
}

namespace {

struct RoundEachOp : tonno::impl::RoundEachOpPassBase<RoundEachOp> {
  void runOnOperation() override {
    getOperation().walk([](arith::TruncFOp rounding) {
      if (mayContract(rounding) &&
          !mayContract(rounding.getIn().getDefiningOp()))
        rounding.setFastmath(*rounding.getFastmath() &
                             ~FastMathFlags::contract);
    });
  }
};

} // namespace
