//===- Matrix instructions in MLIR ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_MATRIXOPS_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_MATRIXOPS_H

#include "tonno/Core/MatrixInstruction.h"
#include "Schedule/GPU/ThreadCode.h"

namespace tonno {

/// Returns the instructions of the chip that compute this contraction: it adds
/// products of two extended factors of one type to sums of a wider one. Empty
/// if there are none.
std::span<const MatrixInstruction>
findMatrixInstructions(mlir::linalg::LinalgOp op, const GpuChip &chip);

/// An instruction as a tile of rows and columns uses it.
class OrientedInstruction {
public:
  explicit OrientedInstruction(const MatrixInstruction &instruction)
      : own(instruction), transposed(instruction.sums.side.elements >
                                     instruction.sums.depth.elements) {}

  const MatrixInstruction &operator*() const { return own; }
  const MatrixInstruction *operator->() const { return &own; }

  // It may compute the transposed tile, with its m along the columns, so that a
  // lane's sums are next to each other in a row.

  int64_t numRows() const { return transposed ? own.n : own.m; }
  int64_t numColumns() const { return transposed ? own.m : own.n; }
  /// Returns the distribution of the factor that has the rows.
  const Fragment &rows() const { return transposed ? own.rhs : own.lhs; }
  const Fragment &columns() const { return transposed ? own.lhs : own.rhs; }
  /// Returns the distribution of the sums along the rows.
  const FragmentDimension &rowsOfSums() const {
    return transposed ? own.sums.depth : own.sums.side;
  }
  const FragmentDimension &columnsOfSums() const {
    return transposed ? own.sums.side : own.sums.depth;
  }

  /// Calls `emit` for each run of a lane's sums that are next to each other in
  /// a row: with the number of the first among the lane's sums, and its row and
  /// column besides those of the lane.
  void forRuns(
      llvm::function_ref<void(int64_t first, int64_t row, int64_t column)> emit)
      const;

  /// Adds the products of fragments of rows and of columns to the sums, one for
  /// each pair, those of a row next to each other.
  void addProducts(ThreadCode &code, llvm::ArrayRef<mlir::Value> ofRows,
                   llvm::ArrayRef<mlir::Value> ofColumns,
                   llvm::MutableArrayRef<mlir::Value> sums) const;

private:
  MatrixInstruction own;
  bool transposed;
};

/// Returns true if sums of many products by the instruction lose digits, so
/// that those of a step are added to others by the threads.
bool hasShortSums(const MatrixInstruction &instruction);

/// Returns the steps before the current one whose tiles products may still
/// read, if tiles are copied to `stages` asynchronously: with at least four,
/// two other steps are on their way.
int64_t countStepsInFlight(const MatrixInstruction &instruction,
                           int64_t stages);

/// Returns registers that an asynchronous instruction has written, in an LLVM
/// struct, as values that are defined here, behind the wait for it: else LLVM
/// may use them before.
mlir::Value takeRegisters(ThreadCode &code, mlir::Value registers);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_MATRIXOPS_H
