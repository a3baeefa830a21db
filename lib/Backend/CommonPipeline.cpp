//===- The parts that the pipelines of all targets share ------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CommonPipeline.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Passes.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "tonno/Transforms/UserLowering.h"
#include "mlir/Conversion/BufferizationToMemRef/BufferizationToMemRef.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tonno;

void tonno::addCleanUp(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void tonno::addFront(OpPassManager &pm, StringRef kernel, bool fusesRounding,
                     StringRef chip) {
  pm.addPass(createInlineCallsPass({kernel.str()}));
  pm.addPass(createConvertToLinalgPass());
  pm.addPass(createSizeArguments({kernel.str(), chip.str()}));
  pm.addNestedPass<func::FuncOp>(createExpandScalingPass());
  pm.addNestedPass<func::FuncOp>(createWidenSumsPass({fusesRounding}));
  pm.addNestedPass<func::FuncOp>(createAllowContractionPass());
  pm.addPass(createKernelBuffersPass({kernel.str()}));
  pm.addPass(createEliminateEmptyTensorsPass());
}

void tonno::addOwnLowering(OpPassManager &pm) {
  pm.addPass(createApplySchedule());
  pm.addPass(createRunPipeline());
}

void tonno::addBufferize(OpPassManager &pm, bool usesReciprocals) {
  pm.addPass(createConvertToLinalgPass({/*lowered=*/true}));
  // Decompose the ops that were just converted to linalg, so that their parts
  // are computed in the result's buffer too.
  pm.addNestedPass<func::FuncOp>(
      createDecomposePass({/*byPart=*/false, usesReciprocals}));
  // CSE has merged equal init operands of different ops.
  pm.addNestedPass<func::FuncOp>(createDuplicateInitsPass());
  pm.addPass(createEliminateEmptyTensorsPass());
  // Bufferization cannot infer the layout of a tensor.empty that branches or
  // loops yield.
  pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  pm.addPass(createBufferizePass());
  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addPass(createStoreInBytesPass());
  addCleanUp(pm);
}

void tonno::addBufferHoisting(OpPassManager &pm) {
  OpPassManager &function = pm.nest<func::FuncOp>();
  function.addPass(bufferization::createBufferHoistingPass());
  function.addPass(bufferization::createBufferLoopHoistingPass());
}

LogicalResult tonno::checkOwnLowering(func::FuncOp kernel) {
  if (failed(findSchedule(kernel)))
    return failure();
  if (kernel->hasAttr(TonnoDialect::kPipeline))
    return LogicalResult(parseKernelPipeline(kernel));
  return success();
}
