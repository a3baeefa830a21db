//===- Products of tiles by warpgroups ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_WARPGROUPPRODUCTS_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_WARPGROUPPRODUCTS_H

#include "tonno/Core/MatrixInstruction.h"
#include "Schedule/GPU/SharedTile.h"
#include "Schedule/GPU/ThreadCode.h"

namespace tonno {

/// Alignment in bytes of shared memory that matrix descriptors describe.
inline constexpr int64_t descriptorAlignment = 1024;

/// An operand's tile in shared memory that wgmma reads by way of a matrix
/// descriptor ("PTX ISA", section "Matrix Descriptor Format").
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
  SharedTile shared;
};

/// The products of a warpgroup, in each step over k.
class WarpgroupProducts {
public:
  /// Plans products of `rows` x `columns` sums from tiles of `depth`. The sums
  /// are those of the instruction's own tiles, row by row.
  WarpgroupProducts(const MatrixInstruction &instruction, int64_t rows,
                    int64_t columns, int64_t depth);

  /// Returns the columns that an instruction multiplies at once: as many as one
  /// can, so that all have the same number.
  int64_t columnsAtOnce() const { return numTilesAtOnce() * instruction.n; }

  /// Adds the products of the tiles with these descriptors to the sums.
  /// `meanwhile` emits what threads do beside the instructions. The sums are
  /// complete only after `finish`, and until then `inFlight` steps may still
  /// read their tiles.
  llvm::SmallVector<mlir::Value>
  add(ThreadCode &code, const DescribedTile &left, mlir::Value leftDescriptor,
      const DescribedTile &right, mlir::Value rightDescriptor,
      mlir::ValueRange sums, int64_t inFlight,
      llvm::function_ref<void()> meanwhile) const;

  /// Waits for the instructions of all steps; returns the sums.
  llvm::SmallVector<mlir::Value> finish(ThreadCode &code,
                                        mlir::ValueRange sums) const;

private:
  int64_t numRowTiles() const { return rows / instruction.m; }
  int64_t numColumnTiles() const { return columns / instruction.n; }
  int64_t numTilesAtOnce() const;
  mlir::Type registersType(ThreadCode &code) const;
  llvm::SmallVector<mlir::Value> toRegisters(ThreadCode &code,
                                             mlir::ValueRange sums) const;
  llvm::SmallVector<mlir::Value>
  fromRegisters(ThreadCode &code, llvm::ArrayRef<mlir::Value> all) const;
  llvm::SmallVector<mlir::Value> await(ThreadCode &code,
                                       llvm::ArrayRef<mlir::Value> all,
                                       int64_t inFlight) const;
  mlir::Value multiply(ThreadCode &code, mlir::Value left, bool isLeftAlongSide,
                       mlir::Value right, bool isRightAlongSide,
                       mlir::Value sums, bool isFirst) const;

  const MatrixInstruction &instruction;
  int64_t rows, columns, depth;
};

/// Returns true if sums of many products by the instruction lose digits, so
/// that those of a step are added to others by the threads.
bool hasShortSums(const MatrixInstruction &instruction);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_WARPGROUPPRODUCTS_H
