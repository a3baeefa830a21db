//===- An operand's tile in shared memory ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_SHAREDTILE_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_SHAREDTILE_H

#include "Schedule/GPU/ThreadCode.h"

namespace tonno {

/// Layout of a `side` x `depth` operand tile in shared memory, free of bank
/// conflicts both for copies of 16 bytes per thread and for loads of fragments.
class SharedTile {
public:
  SharedTile() = default;

  /// Returns a layout with rows along the depth, padded by 16 bytes: for
  /// fragments that a lane loads by 16 bytes along the depth.
  static SharedTile padded(int64_t side, int64_t depth, int64_t elementBytes);

  /// Returns a layout with rows along the depth, or along the side if
  /// `alongSide`, in which chunks of 16 bytes are exchanged: for `ldmatrix`,
  /// which reads one chunk of 8 consecutive rows at a time. A row must have a
  /// multiple of 16 bytes.
  static SharedTile swizzled(int64_t side, int64_t depth, int64_t elementBytes,
                             bool alongSide);

  /// Returns such a layout for matrix instructions that read the tile from
  /// shared memory: a row has at most 128 bytes, `part` elements. The other
  /// parts of the tile's rows follow, one behind the other.
  static SharedTile parted(int64_t side, int64_t depth, int64_t elementBytes,
                           bool alongSide, int64_t part);

  bool runsAlongSide() const { return alongSide; }
  /// Returns the number of rows in shared memory.
  int64_t numRows() const { return rows * parts; }
  int64_t rowsOfPart() const { return rows; }
  int64_t pitch() const { return rowElements; }

  /// Returns the column in `shared` for a row and a column of this tile, or of
  /// a part. The column must be a multiple of the accessed elements, at most 16
  /// bytes.
  mlir::Value column(ThreadCode &code, mlir::Value row,
                     mlir::Value column) const;
  /// Returns the row and the column in `shared`, of the tile that begins at
  /// `firstRow`, for such a row and column of this tile.
  llvm::SmallVector<mlir::Value> place(ThreadCode &code, mlir::Value firstRow,
                                       mlir::Value row,
                                       mlir::Value column) const;

private:
  bool alongSide = false;
  int64_t rows = 0, rowElements = 0, parts = 1;
  /// chunk ^= (row / rowsPerChunk) % numChunks
  int64_t chunkElements = 1, rowsPerChunk = 1, numChunks = 1;
};

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_SHAREDTILE_H
