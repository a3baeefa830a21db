//===- Emission of GPU launches -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_MAPTOGPU_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_MAPTOGPU_H

#include "tonno/Core/MatrixInstruction.h"
#include "tonno/Transforms/Schedule/Tiling/TileSizes.h"
#include "Schedule/GPU/Attention.h"
#include "Schedule/GPU/ThreadCode.h"

namespace tonno {

/// Resources of a chip for one workgroup.
struct WorkgroupLimits {
  int64_t subgroupSize = 32;
  int64_t threads = 1024;
  int64_t sharedBytes = 48 << 10;
  /// Most shared memory that a launch can request dynamically; equals
  /// `sharedBytes` if the chip is unknown.
  int64_t mostSharedBytes = 48 << 10;
};

/// A launch of `workgroups` workgroups of `threads` threads each, whose body is
/// written through `code`; both are numbered along one dimension.
class KernelLaunch {
public:
  /// Bytes; parts of shared memory begin at a multiple.
  static constexpr int64_t defaultAlignment = 128;

  KernelLaunch(mlir::OpBuilder &builder, mlir::Location loc,
               mlir::OpFoldResult workgroups, int64_t threads);

  /// Requests dynamic shared memory for the launch, of which `addShared`
  /// allocates parts from then on, each a multiple of `alignment` bytes.
  void requestDynamicShared(int64_t bytes, int64_t alignment);
  /// Allocates shared memory of a workgroup, uninitialized.
  mlir::Value addShared(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// Returns a view of the memory with i8 elements if its elements are 8-bit
  /// floats, or else the memory.
  mlir::Value asBytes(mlir::Value shared);
  /// Returns the bytes of shared memory added so far.
  int64_t sharedBytes() const { return bytes; }

  mlir::gpu::LaunchOp launch;
  ThreadCode code;
  mlir::Value workgroup, thread;

private:
  mlir::Value asked; ///< null: memory is static
  int64_t bytes = 0, alignment = defaultAlignment;
};

/// Fails, at the op, if the tile that a key gives a loop is not a multiple of
/// `part`, the `owner`'s.
mlir::LogicalResult checkTile(mlir::linalg::LinalgOp op, llvm::StringRef key,
                              int64_t size, unsigned loop,
                              llvm::StringRef owner, int64_t part);

/// Fails, at the op, if subgroups' tiles need more threads than a workgroup may
/// have.
mlir::LogicalResult checkThreads(mlir::linalg::LinalgOp op, int64_t threads,
                                 const WorkgroupLimits &limits);

/// Requests dynamic shared memory for tiles of `bytes` in stages, if static
/// memory does not hold them, or not at the alignment. Fails, at the op, if no
/// workgroup has as much.
mlir::LogicalResult
reserveShared(KernelLaunch &kernel, mlir::linalg::LinalgOp op, int64_t bytes,
              const WorkgroupLimits &limits,
              int64_t alignment = KernelLaunch::defaultAlignment);

/// The following functions emit the launch of one group at the builder's
/// insertion point. They fail, at an op, if tiles don't divide each other or
/// exceed the chip's resources.

/// Tiles operands through shared memory and the result in registers.
mlir::LogicalResult emitContraction(mlir::OpBuilder &builder,
                                    const LaunchGroup &group,
                                    const WorkgroupLimits &limits);

/// Emits a contraction by matrix instructions: subgroups have tiles of the
/// result, whose fragments are in the registers of their lanes.
mlir::LogicalResult emitMatrixProduct(mlir::OpBuilder &builder,
                                      const LaunchGroup &group,
                                      const WorkgroupLimits &limits,
                                      const MatrixInstruction &instruction);

/// Returns the instruction as it multiplies sums of itself, which stay in the
/// registers they are in; nothing if they are distributed over lanes in another
/// way than factors.
std::optional<MatrixInstruction>
chainInstruction(const MatrixInstruction &instruction);

/// Emits attention by matrix instructions, scores in registers.
mlir::LogicalResult emitAttention(mlir::OpBuilder &builder,
                                  const Attention &attention,
                                  const WorkgroupLimits &limits,
                                  const MatrixInstruction &instruction);

/// Emits elementwise ops and reductions: each thread has a tile of the space;
/// rows are reduced across threads.
mlir::LogicalResult emitTiles(mlir::OpBuilder &builder,
                              const LaunchGroup &group,
                              const WorkgroupLimits &limits);

/// Emits a launch with a thread for each point of the parallel loops; the
/// thread runs all other loops.
void emitPoints(mlir::OpBuilder &builder, const LaunchGroup &group);

/// Emits all other ops: parallel loops with a thread for each point, others
/// with one thread.
mlir::LogicalResult emitOthers(mlir::OpBuilder &builder,
                               llvm::ArrayRef<mlir::Operation *> ops);

/// Returns the extents of the group's space, those known only at run time as
/// values at the insertion point.
llvm::SmallVector<mlir::OpFoldResult> createExtents(mlir::OpBuilder &builder,
                                                    const LaunchGroup &group);

/// Returns the group's configuration by dimensions of its space, 0 by default.
mlir::FailureOr<TileSizes> getGroupTileSizes(const LaunchGroup &group);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_MAPTOGPU_H
