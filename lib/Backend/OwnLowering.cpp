//===- Kernels that bring their lowering ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OwnLowering.h"

#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/KernelLowering.h"

using namespace mlir;
using namespace tonno;

LogicalResult tonno::checkOwnLowering(func::FuncOp kernel) {
  if (failed(findSchedule(kernel)))
    return failure();
  if (kernel->hasAttr(TonnoDialect::kPipeline))
    return LogicalResult(parseKernelPipeline(kernel));
  return success();
}
