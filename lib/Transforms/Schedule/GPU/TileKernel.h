//===- Elementwise ops and reductions on a GPU ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SCHEDULE_GPU_TILEKERNEL_H
#define TONNO_LIB_SCHEDULE_GPU_TILEKERNEL_H

#include "TileShape.h"

#include <map>

namespace tonno {

/// Writes one group of elementwise ops and reductions over one dimension.
/// Values are computed where they are first wanted, and kept in registers.
class TileKernel {
public:
  TileKernel(const KernelGroup &group, const TileShape &shape,
             const WorkgroupLimits &limits)
      : group(group), shape(shape), limits(limits) {}

  mlir::LogicalResult emit(mlir::OpBuilder &builder);

private:
  /// Some points of this thread, side by side: its step along each dimension.
  /// When rows are in registers, steps along the reduced dimension count on
  /// over its chunks. Those of a row are at step 0 of it.
  using Steps = llvm::SmallVector<int64_t>;

  // Values, each computed where it is first wanted.
  mlir::Value valueAt(const GroupedOp &member, size_t operand,
                      const Steps &steps);
  mlir::Value resultAt(size_t op, unsigned output, const Steps &steps);
  mlir::Value loadOf(const GroupedOp &member, size_t operand,
                     const Steps &steps);
  llvm::SmallVector<mlir::Value> elementsOf(size_t op, const Steps &steps);

  void reduce(size_t op);
  llvm::SmallVector<mlir::Value> addChunk(size_t op,
                                          llvm::ArrayRef<mlir::Value> sums);
  mlir::Value finishSum(size_t op, const Steps &row, mlir::Value sum);

  void loadAhead();
  void storeResults(bool ofRows);
  /// Runs `emit` for each chunk of rows that don't fit into registers.
  llvm::SmallVector<mlir::Value>
  forChunks(llvm::ArrayRef<mlir::Value> carried,
            llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)>
                emit);

  /// A tile in shared memory.
  struct Staged {
    mlir::Value source, shared;
    mlir::AffineMap map;   ///< of the source
    mlir::AffineMap local; ///< of the shared tile
  };
  void begin();
  void stageCrosswise();
  bool isCrosswise(mlir::AffineMap map) const;
  void stage(mlir::Value source, mlir::AffineMap map);
  const Staged *findStaged(mlir::Value source, mlir::AffineMap map) const;
  Points pointsAt(const Steps &steps, bool ofRow);
  mlir::Value isInside(const Steps &steps, bool ofRow);
  bool isRow(const GroupedOp &member) const;
  bool isReduction(size_t op) const;
  int64_t widthOf(bool ofRow) const;
  /// Steps along a dimension.
  int64_t numSteps(unsigned dim) const;
  llvm::SmallVector<Steps> allSteps(bool ofRow) const;
  mlir::AffineMap mapOf(const GroupedOp &member, size_t operand) const;

  const KernelGroup &group;
  const TileShape &shape;
  const WorkgroupLimits &limits;
  bool isStreaming = false; ///< rows are too long for registers

  // Of the kernel that is being written.
  KernelLaunch *kernel = nullptr;
  llvm::SmallVector<mlir::Value> threads; ///< coordinates, by dimension
  llvm::SmallVector<mlir::Value> starts;  ///< of the workgroup's tile
  mlir::Value chunk; ///< where the chunk at hand starts, when streaming

  /// What was computed already, where it can be seen.
  struct Known {
    std::map<std::tuple<size_t, unsigned, Steps>, mlir::Value> results;
    llvm::SmallVector<
        std::tuple<mlir::Value, mlir::AffineMap, Steps, mlir::Value>>
        loads;
    std::map<std::pair<Steps, bool>, mlir::Value> conditions;
  };
  Known known;
  llvm::SmallVector<Staged> staged;
};

} // namespace tonno

#endif // TONNO_LIB_SCHEDULE_GPU_TILEKERNEL_H
