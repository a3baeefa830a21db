//===- Steps over operand tiles in shared memory --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/GPU/OperandPipeline.h"

#include "tonno/Dialect/LoweringConfig.h"
#include "Schedule/GPU/MatrixOps.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tonno;

FailureOr<Staging> tonno::getStaging(linalg::LinalgOp op,
                                     const MatrixInstruction &instruction) {
  auto stages = getConfigured(op, lowering_config::kStages, 2);
  auto copy = getConfiguredText(op, lowering_config::kCopy);
  if (failed(stages) || failed(copy))
    return failure();
  Staging staging{.stages = *stages,
                  .copiesAsync = *copy == lowering_config::kAsync,
                  .readsAsync = instruction.readsShared()};
  if (staging.copiesAsync) {
    if (!instruction.hasAsyncCopies())
      return op.emitOpError()
             << "has 'copy' of \"async\", which this chip lacks; use \""
             << lowering_config::kRegisters << "\"";
  } else if (!copy->empty() && *copy != lowering_config::kRegisters) {
    return op.emitOpError() << "has 'copy' of \"" << *copy << "\"; use \""
                            << lowering_config::kRegisters << "\" or \""
                            << lowering_config::kAsync << "\"";
  }
  // Stages beyond the second serve copies that are on their way.
  int64_t least = staging.copiesAsync ? 2 : 1,
          most = staging.copiesAsync ? 6 : 2;
  if (staging.stages < least || staging.stages > most)
    return op.emitOpError() << "has 'stages' of " << staging.stages << "; use "
                            << least << (most == 2 ? " or " : " to ") << most;
  if (staging.copiesAsync)
    staging.inFlight = countStepsInFlight(instruction, staging.stages);
  return staging;
}

OperandPipeline::OperandPipeline(ThreadCode &code,
                                 ArrayRef<StagedOperand> operands,
                                 const Staging &staging)
    : code(code), staging(staging) {
  for (const StagedOperand &operand : operands)
    (staging.copiesAsync && operand.copy.canCopy() ? copied : stored)
        .push_back(operand);
}

Value OperandPipeline::getStage(Value step) {
  return staging.stages == 1 ? code.index(0)
                             : code.remainder(step, staging.stages);
}

/// Makes what this thread wrote to shared memory visible to matrix
/// instructions, once the threads have met.
void OperandPipeline::publish() {
  if (staging.readsAsync)
    NVVM::FenceProxyOp::create(
        code.b,
        NVVM::ProxyKindAttr::get(code.b.getContext(),
                                 NVVM::ProxyKind::async_shared),
        NVVM::SharedSpaceAttr::get(code.b.getContext(),
                                   NVVM::SharedSpace::shared_cta));
}

/// Commits a group of copies in each step, even an empty one, so that the
/// number of pending groups is constant.
void OperandPipeline::copy(Value step, bool isPossible, Value condition) {
  if (copied.empty())
    return;
  if (isPossible)
    code.doIf(condition, [&] {
      for (const StagedOperand &one : copied)
        one.copy.copy(code, one.startsAt(step), nullptr,
                      one.copy.firstRow(code, getStage(step)));
    });
  NVVM::CpAsyncCommitGroupOp::create(code.b);
}

OperandPipeline::Tiles OperandPipeline::load(Value step, Value condition) {
  Tiles tiles;
  for (const StagedOperand &one : stored)
    tiles.push_back(one.copy.load(code, one.startsAt(step), condition));
  return tiles;
}

void OperandPipeline::store(const Tiles &tiles, Value stage) {
  for (auto [one, values] : llvm::zip_equal(stored, tiles))
    one.copy.store(code, values, one.copy.firstRow(code, stage));
  if (copied.empty()) {
    publish();
    code.barrier();
  }
}

SmallVector<Value> OperandPipeline::run(OpFoldResult steps, ValueRange carried,
                                        Body body) {
  auto knownSteps = getConstantIntValue(steps);
  // Null if the step is known to exist.
  auto isFirstThere = [&](int64_t step) {
    return knownSteps && step < *knownSteps
               ? Value()
               : code.isBelow(code.index(step), steps);
  };
  int64_t ahead = staging.ahead();
  for (int64_t first = 0; first < ahead; ++first)
    copy(code.index(first), !knownSteps || first < *knownSteps,
         isFirstThere(first));
  store(load(code.index(0), isFirstThere(0)), code.index(0));
  auto emitStep = [&](Value step, ValueRange before) {
    if (!copied.empty()) {
      NVVM::CpAsyncWaitGroupOp::create(code.b, ahead - 1);
      publish();
      code.barrier();
    }
    if (knownSteps == 1)
      return body(step, code.index(0), before, [] {});
    Value next = code.add(step, 1);
    Tiles loaded;
    SmallVector<Value> after = body(step, getStage(step), before, [&] {
      Value later = code.add(step, ahead);
      copy(later, !knownSteps || *knownSteps > ahead,
           code.isBelow(later, steps));
      loaded = load(next, code.isBelow(next, steps));
    });
    if (staging.stages == 1)
      code.barrier();
    store(loaded, getStage(next));
    return after;
  };
  if (knownSteps == 1)
    return emitStep(code.index(0), carried);
  auto loop = scf::ForOp::create(code.b, code.index(0), code.index(steps),
                                 code.index(1), carried);
  code.disableUnrolling(loop);
  OpBuilder::InsertionGuard guard(code.b);
  code.b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> after =
      emitStep(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!after.empty()) // else the loop has its terminator
    scf::YieldOp::create(code.b, after);
  return SmallVector<Value>(loop.getResults());
}
