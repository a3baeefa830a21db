//===- What launches need from outside ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tonno {
#define GEN_PASS_DEF_SINKINTOLAUNCHESPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Whether the op gives the same wherever in the function it stands: it reads
/// nothing, or an argument that nothing else in the function writes.
static bool isMovable(Operation *op) {
  if (op->getNumRegions() != 0)
    return false;
  if (isMemoryEffectFree(op))
    return true;
  auto load = dyn_cast<memref::LoadOp>(op);
  if (!load || !isa<BlockArgument>(load.getMemRef()))
    return false;
  return llvm::all_of(load.getMemRef().getUsers(), [&](Operation *user) {
    return isa<memref::LoadOp>(user);
  });
}

/// Adds the ops that make the value of the function's arguments, in order.
/// Returns what none of them that may be moved makes; null if there is none.
static Value findUnmovable(Value value, SetVector<Operation *> &ops) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return isa<func::FuncOp>(value.getParentBlock()->getParentOp()) ? Value()
                                                                    : value;
  if (ops.contains(op))
    return nullptr;
  if (!isMovable(op))
    return value;
  for (Value operand : op->getOperands())
    if (Value unmovable = findUnmovable(operand, ops))
      return unmovable;
  ops.insert(op);
  return nullptr;
}

namespace {

struct SinkIntoLaunches
    : tonno::impl::SinkIntoLaunchesPassBase<SinkIntoLaunches> {
  LogicalResult sink(gpu::LaunchOp launch) {
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(launch.getBody(), captured);
    SetVector<Operation *> ops;
    for (Value value : captured)
      if (Value unmovable = findUnmovable(value, ops))
        return launch.emitError()
               << "a launch takes the kernel's buffers alone, but this one "
                  "needs a value of type "
               << unmovable.getType() << " that is computed outside of it";
    OpBuilder builder(launch.getBody());
    IRMapping mapping;
    for (Operation *op : ops)
      builder.clone(*op, mapping);
    for (auto [outside, inside] : mapping.getValueMap())
      replaceAllUsesInRegionWith(outside, inside, launch.getBody());
    return success();
  }

  void runOnOperation() override {
    WalkResult result = getOperation().walk(
        [&](gpu::LaunchOp launch) { return WalkResult(sink(launch)); });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
