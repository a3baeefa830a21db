//===- SinkIntoLaunches.cpp - What launches need from outside -------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Utils/GPUUtils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tonno {
#define GEN_PASS_DEF_SINKINTOLAUNCHESPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;

/// Whether the op gives the same wherever in the function it stands: it reads
/// nothing, or an argument that nothing else in the function writes.
static bool isMovable(Operation *op) {
  if (isMemoryEffectFree(op))
    return true;
  auto load = dyn_cast<memref::LoadOp>(op);
  if (!load || !isa<BlockArgument>(load.getMemRef()))
    return false;
  return llvm::all_of(load.getMemRef().getUsers(), [&](Operation *user) {
    return isa<memref::LoadOp>(user);
  });
}

namespace {

struct SinkIntoLaunches
    : tonno::impl::SinkIntoLaunchesPassBase<SinkIntoLaunches> {
  LogicalResult sink(gpu::LaunchOp launch) {
    if (failed(sinkOperationsIntoLaunchOp(launch, isMovable)))
      return launch.emitError("what it needs can't be moved into it");
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(launch.getBody(), captured);
    for (Value value : captured) {
      auto argument = dyn_cast<BlockArgument>(value);
      if (argument && argument.getOwner()->getParentOp() == getOperation())
        continue;
      return launch.emitError()
             << "a launch takes the kernel's buffers alone, but this one needs "
                "a value of type "
             << value.getType() << " that is computed outside of it";
    }
    return success();
  }

  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](gpu::LaunchOp launch) {
      return WalkResult(sink(launch));
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
