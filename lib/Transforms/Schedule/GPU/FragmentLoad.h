//===- Loads of matrix fragments ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_FRAGMENTLOAD_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_FRAGMENTLOAD_H

#include "tonno/Core/MatrixInstruction.h"
#include "Schedule/GPU/SharedTile.h"
#include "Schedule/GPU/ThreadCode.h"

namespace tonno {

/// Loads what a lane holds of one operand from its tile in shared memory, for
/// all matrix instructions of a subgroup.
class FragmentLoad {
public:
  /// Plans the loads of a `side` x `depth` tile. `alongSide`: the buffer's rows
  /// run along the side; the tile's rows then do too, if fragments can be
  /// loaded from them. `inOrder`: k must not be permuted, since the other
  /// operand is in registers.
  FragmentLoad(const MatrixInstruction &instruction, const Fragment &fragment,
               int64_t side, int64_t depth, bool alongSide,
               bool inOrder = false);

  const SharedTile &tile() const { return shared; }
  /// Returns the shared memory of `stages` tiles.
  int64_t getSharedBytes(int64_t stages) const;

  /// Returns this lane's position along a dimension of a fragment.
  static mlir::Value laneAlong(ThreadCode &code, mlir::Value lane,
                               const FragmentDimension &dimension,
                               int64_t subgroupSize);

  /// Values of the kernel that `load` uses.
  struct Context {
    mlir::Value memory;   ///< tiles, one behind the other
    mlir::Value firstRow; ///< in `memory`, of the tile
    mlir::Value lane;
    mlir::Value start; ///< first element of the subgroup along the side
    int64_t subgroupSize;
    int64_t numFragments; ///< of the subgroup along the side
  };

  /// Returns the number of instructions along the depth that one `load` serves.
  int64_t numAtOnce() const;

  /// Returns the fragments of the instructions from the `first` on along the
  /// depth, a multiple of `numAtOnce`: by instruction, then by position along
  /// the side. If one access of a lane takes 16 bytes along the depth, they
  /// belong to several instructions: k is permuted, in the same way in both
  /// operands, unless it must be in order.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
  load(ThreadCode &code, const Context &context, int64_t first) const;

private:
  int64_t extent() const { return fragment.side.extent(); }
  int64_t runLength() const;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
  loadRuns(ThreadCode &code, const Context &context, int64_t first) const;
  mlir::Value ofRuns(ThreadCode &code, llvm::ArrayRef<mlir::Value> parts,
                     int64_t i) const;
  llvm::SmallVector<mlir::Value> loadMatrices(ThreadCode &code,
                                              const Context &context,
                                              int64_t instructionNumber) const;

  const MatrixInstruction &instruction;
  const Fragment &fragment;
  int64_t elementBytes, depth;
  bool byMatrices; ///< ldmatrix
  bool inOrder;
  SharedTile shared;
};

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_FRAGMENTLOAD_H
