//===- Lower kernels by their own schedules -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/KernelSchedule.h"
#include "tonno/Transforms/Passes.h"

#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"

namespace tonno {
#define GEN_PASS_DEF_APPLYSCHEDULE
#include "tonno/Transforms/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

namespace {

struct ApplySchedulePass : tonno::impl::ApplyScheduleBase<ApplySchedulePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
      auto schedule = findSchedule(function);
      if (failed(schedule) ||
          (*schedule && failed(interpret(module, *schedule))))
        return signalPassFailure();
    }
    eraseSchedules(module);
  }

private:
  LogicalResult interpret(ModuleOp module,
                          transform::NamedSequenceOp schedule) {
    return transform::applyTransformNamedSequence(
        module, schedule, schedule->getParentOfType<ModuleOp>(),
        transform::TransformOptions());
  }
};

} // namespace
