//===- Products of tiles in shared memory ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_TILEPRODUCTS_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_TILEPRODUCTS_H

#include "Schedule/GPU/MapToGPU.h"
#include "Schedule/GPU/MatrixOps.h"
#include "Schedule/GPU/OperandPipeline.h"

#include <memory>

namespace tonno {

/// Extents of the tiles of a product, and how they get into shared memory.
struct ProductTiles {
  int64_t rows, columns, depth;          ///< of a workgroup, in shared memory
  int64_t subgroupRows, subgroupColumns; ///< of subgroups
  /// True if the operand's rows in memory run along the side, not along k.
  bool leftAlongSide, rightAlongSide;
  Staging staging;
};

/// A thread's place among those of its workgroup.
struct SubgroupPlace {
  mlir::Value lane;                  ///< in its subgroup
  mlir::Value rowStart, columnStart; ///< of its subgroup, in the tile
  int64_t subgroupSize;
};

/// Products of tiles in shared memory by matrix instructions, step by step, in
/// the order of the methods. Subgroups have tiles of sums, one for each of the
/// instruction's own tiles, row by row: vectors of what a lane has of them.
class TileProducts {
public:
  virtual ~TileProducts() = default;

  virtual const SharedTile &leftTile() const = 0;
  virtual const SharedTile &rightTile() const = 0;
  /// Returns the bytes of shared memory, of which parts begin at multiples of
  /// the alignment.
  virtual int64_t getSharedBytes() const = 0;
  virtual int64_t getAlignment() const {
    return KernelLaunch::defaultAlignment;
  }
  /// Returns true if sums are values that each step carries to the next.
  /// Otherwise they are in tensor memory, and begin at zero.
  virtual bool carriesSums() const { return true; }

  /// Emits what precedes the steps.
  virtual void prepare(KernelLaunch &kernel, const SubgroupPlace &place) = 0;
  /// Adds the products of the tiles in one stage. Calls `moveNext` once, as
  /// OperandPipeline::Body does.
  virtual llvm::SmallVector<mlir::Value>
  add(const OperandCopy &left, const OperandCopy &right, mlir::Value step,
      mlir::Value stage, mlir::ValueRange sums,
      llvm::function_ref<void()> moveNext) = 0;
  /// Waits for the last of the steps, whose sums these are.
  virtual void finish(mlir::OpFoldResult steps, mlir::ValueRange sums) = 0;
  /// Returns the sums of a tile; called once for each, in order.
  virtual mlir::Value getSums(size_t tile) = 0;
  /// Emits what follows the last use of the sums.
  virtual void release() {}
};

/// Returns products by instructions that have factors and sums in registers.
std::unique_ptr<TileProducts>
createFragmentProducts(const OrientedInstruction &instruction,
                       const ProductTiles &tiles);

/// Returns products by wgmma, which reads factors from shared memory.
std::unique_ptr<TileProducts>
createWarpgroupProducts(const MatrixInstruction &instruction,
                        const ProductTiles &tiles);

/// Returns products by tcgen05, which has its sums in tensor memory.
std::unique_ptr<TileProducts>
createTensorMemoryProducts(const MatrixInstruction &instruction,
                           const ProductTiles &tiles);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_TILEPRODUCTS_H
