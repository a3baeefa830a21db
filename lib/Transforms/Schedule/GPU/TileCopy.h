//===- Tiles into a workgroup's memory ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SCHEDULE_GPU_TILECOPY_H
#define TONNO_LIB_SCHEDULE_GPU_TILECOPY_H

#include "ThreadCode.h"

#include "mlir/IR/AffineMap.h"

namespace tonno {

/// Copies a tile of a buffer into the memory of a workgroup, whose threads all
/// take part, neighbours side by side. Elements beyond the buffer are zero.
///
/// Loading and storing are apart, so that work can lie between.
struct TileCopy {
  mlir::Value source;
  llvm::SmallVector<int64_t> tile; ///< extents, one of each source dimension
  mlir::Value shared;
  /// From coordinates in the tile to those in `shared`.
  mlir::AffineMap layout;
  mlir::Value thread;
  int64_t numThreads = 1;
  /// Of each source dimension: whether tiles may reach beyond the buffer.
  llvm::SmallVector<bool> isGuarded;

  /// Registers that `load` fills: their types.
  llvm::SmallVector<mlir::Type> types(ThreadCode &code) const;
  /// Reads this thread's part of the tile whose first element is at `starts`;
  /// zeros where the condition does not hold, if there is one.
  llvm::SmallVector<mlir::Value> load(ThreadCode &code, mlir::ValueRange starts,
                                      mlir::Value condition = nullptr) const;
  /// Writes what `load` read. A barrier makes it visible to the others.
  void store(ThreadCode &code, mlir::ValueRange values) const;

private:
  /// The dimension along which elements are side by side in memory.
  unsigned fastest() const;
  int64_t width() const;
  int64_t numPieces() const;
  /// Coordinates in the tile of the i-th piece of this thread.
  llvm::SmallVector<mlir::Value> coordinates(ThreadCode &code, int64_t i) const;
  /// Null where every thread has an i-th piece.
  mlir::Value hasPiece(ThreadCode &code, int64_t i) const;
};

} // namespace tonno

#endif // TONNO_LIB_SCHEDULE_GPU_TILECOPY_H
