//===- Tiles that instructions read from shared memory --------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_DESCRIBEDTILE_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_DESCRIBEDTILE_H

#include "tonno/Core/MatrixInstruction.h"
#include "Schedule/GPU/SharedTile.h"
#include "Schedule/GPU/ThreadCode.h"

namespace tonno {

/// Alignment in bytes of shared memory that matrix descriptors describe.
inline constexpr int64_t descriptorAlignment = 1024;

/// An operand's tile in shared memory that instructions read by way of a matrix
/// descriptor.
class DescribedTile {
public:
  /// Plans a `side` x `depth` tile, of which an instruction reads `atOnce` of
  /// the side. `alongSide`: the buffer's rows run along the side; the tile's
  /// rows then do too, if the instruction can read them.
  DescribedTile(const MatrixInstruction &instruction, int64_t side,
                int64_t depth, bool alongSide, int64_t atOnce);

  const SharedTile &tile() const { return shared; }
  /// Returns the shared memory of `stages` tiles.
  int64_t getSharedBytes(int64_t stages) const;

  /// Returns the descriptor, an i64, of the first part to read of the tile that
  /// begins at row `firstRow` of `memory`, from `start` on along the side.
  mlir::Value describe(ThreadCode &code, mlir::Value memory,
                       mlir::Value firstRow, mlir::Value start) const;
  /// Returns the descriptor of the part that is so many elements further.
  mlir::Value advance(ThreadCode &code, mlir::Value descriptor, int64_t side,
                      int64_t depth) const;

private:
  int64_t rowBytes() const { return shared.pitch() * elementBytes; }
  int64_t partBytes() const { return shared.rowsOfPart() * rowBytes(); }

  int64_t elementBytes;
  uint64_t version;
  SharedTile shared;
};

/// Returns true if the instruction can read factors whose rows run along the
/// side: all of 16 bits, and of 8 bits with tcgen05.
bool transposesShared(const MatrixInstruction &instruction);

/// Returns how many of the instruction's tiles of columns one instruction
/// multiplies at once: as many as one can, so that all have the same number.
int64_t countTilesAtOnce(const MatrixInstruction &instruction, int64_t columns);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_DESCRIBEDTILE_H
