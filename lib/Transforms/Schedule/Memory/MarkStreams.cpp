//===- Find what is written past the caches -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Transforms/Schedule/Bufferization/KernelBuffers.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "tonno/Transforms/Schedule/Tiling/TileSizes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tonno {
#define GEN_PASS_DEF_MARKSTREAMSPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// The kernel's argument that the op's only result goes to, or is; null for
/// others.
static BlockArgument bufferOf(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return nullptr;
  Value buffer = op.getDpsInits().front();
  if (op.hasPureTensorSemantics()) {
    Value result = op->getResult(0);
    auto goes = result.hasOneUse()
                    ? dyn_cast<bufferization::MaterializeInDestinationOp>(
                          *result.user_begin())
                    : nullptr;
    buffer = goes ? goes.getDest() : Value();
  }
  return dyn_cast_or_null<BlockArgument>(buffer);
}

namespace {

struct MarkStreams : tonno::impl::MarkStreamsPassBase<MarkStreams> {
  void runOnOperation() override {
    auto buffers = getKernelBuffers(getOperation());
    if (!buffers || hasOwnLowering(getOperation()))
      return;
    WalkResult walked = getOperation().walk([&](linalg::LinalgOp op) {
      auto sizes = getTileSizes(op, lowering_config::kStream);
      if (failed(sizes) || failed(verifyTileSizes(op)))
        return WalkResult::interrupt();
      if (!*sizes || llvm::all_of(**sizes, [](int64_t s) { return s == 0; }))
        return WalkResult::advance();
      BlockArgument buffer = bufferOf(op);
      if (buffer && buffer.getOwner() == &getOperation().front())
        (*buffers)[buffer.getArgNumber()].isStreamed = true;
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return signalPassFailure();
    setKernelBuffers(getOperation(), *buffers);
  }
};

} // namespace
