//===- Products of tiles that descriptors describe ------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_DESCRIBEDPRODUCTS_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_DESCRIBEDPRODUCTS_H

#include "Schedule/GPU/DescribedTile.h"
#include "Schedule/GPU/TileProducts.h"

#include <utility>

namespace tonno {

/// Products by instructions that read both factors from shared memory.
class DescribedProducts : public TileProducts {
public:
  const SharedTile &leftTile() const override { return left.tile(); }
  const SharedTile &rightTile() const override { return right.tile(); }
  int64_t getSharedBytes() const override {
    return left.getSharedBytes(tiles.staging.stages) +
           right.getSharedBytes(tiles.staging.stages);
  }
  int64_t getAlignment() const override { return descriptorAlignment; }

protected:
  /// Plans products of which one thread or subgroup issues `columns` columns.
  DescribedProducts(const MatrixInstruction &instruction,
                    const ProductTiles &tiles, int64_t columns)
      : instruction(instruction), tiles(tiles),
        tilesAtOnce(countTilesAtOnce(instruction, columns)),
        left(instruction, tiles.rows, tiles.depth, tiles.leftAlongSide,
             instruction.m),
        right(instruction, tiles.columns, tiles.depth, tiles.rightAlongSide,
              columnsAtOnce()) {}

  /// Returns the columns that one instruction multiplies.
  int64_t columnsAtOnce() const { return tilesAtOnce * instruction.n; }

  /// Returns the descriptors of a stage's tiles, from a row and a column on.
  std::pair<mlir::Value, mlir::Value>
  describe(ThreadCode &code, const OperandCopy &leftCopy,
           const OperandCopy &rightCopy, mlir::Value stage,
           mlir::Value rowStart, mlir::Value columnStart) const {
    mlir::Value ofLeft = left.describe(
        code, leftCopy.shared, leftCopy.firstRow(code, stage), rowStart);
    return {ofLeft,
            right.describe(code, rightCopy.shared,
                           rightCopy.firstRow(code, stage), columnStart)};
  }

  const MatrixInstruction instruction;
  const ProductTiles tiles;
  const int64_t tilesAtOnce; ///< the instruction's own tiles of columns
  const DescribedTile left, right;
};

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_DESCRIBEDPRODUCTS_H
