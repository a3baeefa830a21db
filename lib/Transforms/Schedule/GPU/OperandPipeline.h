//===- Steps over operand tiles in shared memory --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_OPERANDPIPELINE_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_OPERANDPIPELINE_H

#include "tonno/Core/MatrixInstruction.h"
#include "Schedule/GPU/OperandCopy.h"

#include <functional>

namespace tonno {

/// How tiles of operands get into shared memory.
struct Staging {
  int64_t stages = 2; ///< tiles of each operand in shared memory
  bool copiesAsync = false;
  /// True if matrix instructions read the tiles, not threads.
  bool readsAsync = false;
  /// Steps before the current one whose tiles may still be read.
  int64_t inFlight = 0;

  /// Returns the steps ahead of which tiles are on their way.
  int64_t ahead() const { return stages - 1 - inFlight; }
};

/// Returns the staging that the op's configuration asks for. Fails, at the op,
/// if chips with the instruction can't have it.
mlir::FailureOr<Staging> getStaging(mlir::linalg::LinalgOp op,
                                    const MatrixInstruction &instruction);

/// An operand of which each step uses a tile in shared memory.
struct StagedOperand {
  OperandCopy copy;
  /// Returns where a step's tile begins in the operand.
  std::function<llvm::SmallVector<mlir::Value>(mlir::Value step)> startsAt;
};

/// A loop over steps. The next tiles are on their way from memory to shared
/// memory, or by way of registers, while the current ones are used:
///
///     copy tiles 0 to ahead - 1
///     store tile 0; barrier
///     for step:
///       [copies: wait until tile step is there; barrier]
///       copy tile step + ahead
///       load tile step + 1
///       use what is in stage (step % stages)
///       [1 stage: barrier]
///       store tile step + 1 into stage ((step + 1) % stages)
///       [no copies: barrier]
///
/// An operand is either copied asynchronously, or loaded and stored. As all
/// threads are done with the step before those in flight, its stage can be
/// filled again. Without copies the barrier follows the stores: at the
/// beginning of a loop LLVM drops the wait for stores of the iteration before
/// (AMD). Threads publish what they wrote to matrix instructions before a
/// barrier.
class OperandPipeline {
public:
  OperandPipeline(ThreadCode &code, llvm::ArrayRef<StagedOperand> operands,
                  const Staging &staging);

  /// Uses the tiles in one stage; returns the carried values of the next step.
  /// Calls `moveNext` once, which emits the copies and loads of later tiles.
  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value step, mlir::Value stage, mlir::ValueRange carried,
      llvm::function_ref<void()> moveNext)>;

  /// Returns the carried values after the last step.
  llvm::SmallVector<mlir::Value> run(mlir::OpFoldResult steps,
                                     mlir::ValueRange carried, Body body);

private:
  using Tiles = llvm::SmallVector<llvm::SmallVector<mlir::Value>>;

  mlir::Value getStage(mlir::Value step);
  void publish();
  void copy(mlir::Value step, bool isPossible, mlir::Value condition);
  Tiles load(mlir::Value step, mlir::Value condition);
  void store(const Tiles &tiles, mlir::Value stage);

  ThreadCode &code;
  llvm::SmallVector<StagedOperand, 2> copied, stored;
  Staging staging;
};

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_OPERANDPIPELINE_H
