//===- Copies of operand tiles to shared memory ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_OPERANDCOPY_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_OPERANDCOPY_H

#include "Schedule/GPU/SharedTile.h"
#include "Schedule/GPU/ThreadCode.h"

namespace tonno {

class KernelLaunch;

/// Copies a `side` x `depth` tile of a buffer into shared memory by all threads
/// of a workgroup; `tile` says how it lies there. Elements beyond the buffer
/// are zero. In two parts, so that work can lie between: `load` into registers,
/// where blocks are transposed if the buffer's rows don't run as the tile's do,
/// then `store`. Or without registers, by `copy`.
struct OperandCopy {
  mlir::Value source;
  /// Dimensions of the source along the side, the last fastest, and their
  /// sizes, if there are several: then tiles go on from one row of the last to
  /// the next. `starts` has the number of the first element for the last.
  llvm::SmallVector<unsigned> sideDims;
  llvm::SmallVector<mlir::OpFoldResult> sideSizes;
  mlir::OpFoldResult sideSize; ///< of all of them
  unsigned depthDim = 0;       ///< of the source
  int64_t side = 0, depth = 0;
  bool isSideGuarded = false, isDepthGuarded = false;
  SharedTile tile;
  mlir::Value shared; ///< some tiles, one behind the other
  mlir::Value thread;
  int64_t numThreads = 1;

  /// Returns the first row in `shared` of the tile of a stage.
  mlir::Value firstRow(ThreadCode &code, mlir::Value stage) const {
    return code.multiply(stage, tile.numRows());
  }

  /// Returns what `store` takes. `starts` is the tile's first element; where
  /// the condition, if there is one, does not hold, all is zero.
  llvm::SmallVector<mlir::Value> load(ThreadCode &code, mlir::ValueRange starts,
                                      mlir::Value condition) const;
  /// Writes the tile into the rows from `firstRow` on. A barrier makes it
  /// visible to the others.
  void store(ThreadCode &code, mlir::ValueRange values,
             mlir::Value firstRow) const;

  /// Returns true if each piece that a thread copies has 4, 8 or 16 bytes with
  /// the same layout in the buffer and in the tile.
  bool canCopy() const;
  /// Begins to copy (cp.async), if `canCopy`. Where the condition, if there is
  /// one, does not hold, all is zero.
  void copy(ThreadCode &code, mlir::ValueRange starts, mlir::Value condition,
            mlir::Value firstRow) const;

private:
  /// A block that a thread moves at a time, in elements.
  struct Block {
    int64_t side = 1, depth = 1;
  };
  Block block() const;
  bool isTransposed() const;
  /// The first element of this thread's i-th block in the tile.
  struct Place {
    mlir::Value side, depth;
    mlir::Value exists; ///< null: every thread has an i-th block
  };
  Place place(ThreadCode &code, int64_t i) const;
  int64_t blocksPerThread() const;
  /// Returns the indices in the buffer of an element, for a tile at `starts`.
  llvm::SmallVector<mlir::Value>
  indicesAt(ThreadCode &code, mlir::ValueRange starts, const Place &at) const;
  /// Returns the condition that it is within the buffer; null if it always is.
  mlir::Value isWithin(ThreadCode &code, mlir::ValueRange starts,
                       const Place &at) const;
  /// Returns the indices in `shared` of an element of the tile.
  llvm::SmallVector<mlir::Value> inShared(ThreadCode &code,
                                          mlir::Value firstRow,
                                          mlir::Value alongSide,
                                          mlir::Value alongDepth) const;
};

/// Loops along which tiles of an operand are cut, as if they were one.
struct TiledLoop {
  llvm::SmallVector<unsigned> loops;           ///< the last is the fastest
  llvm::SmallVector<mlir::OpFoldResult> sizes; ///< of the loops
  int64_t extent;                              ///< of a tile
};

/// Returns a copy of the operand's tiles, with shared memory for `stages` of
/// them; `map` gives the operand's indices for the op's loops.
OperandCopy makeOperandCopy(KernelLaunch &kernel, mlir::Value operand,
                            mlir::AffineMap map, const SharedTile &tile,
                            const TiledLoop &side, const TiledLoop &depth,
                            int64_t numThreads, int64_t stages);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_OPERANDCOPY_H
