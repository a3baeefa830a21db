//===- Copies of buffers as linalg ops ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tonno {
#define GEN_PASS_DEF_LOWERCOPIESPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

namespace {

struct LowerCopies : tonno::impl::LowerCopiesPassBase<LowerCopies> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    getOperation().walk([&](memref::CopyOp copy) {
      // Of a tile that was computed where it belongs.
      if (copy.getSource() == copy.getTarget())
        return copy.erase();
      builder.setInsertionPoint(copy);
      linalg::CopyOp::create(builder, copy.getLoc(), copy.getSource(),
                             copy.getTarget());
      copy.erase();
    });
  }
};

} // namespace
