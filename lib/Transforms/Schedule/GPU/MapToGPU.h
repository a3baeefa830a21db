//===- The launches of groups ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_MAPTOGPU_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_MAPTOGPU_H

#include "tonno/Transforms/Schedule/Tiling/TileSizes.h"
#include "Schedule/GPU/LaunchGroups.h"
#include "Schedule/GPU/ThreadCode.h"

namespace tonno {

/// What a chip can do with one workgroup.
struct WorkgroupLimits {
  int64_t subgroupSize = 32;
  int64_t threads = 1024;
  int64_t sharedBytes = 48 << 10;
};

/// A launch of `workgroups` workgroups of `threads` threads each, whose body is
/// written through `code`; both are numbered along one dimension.
class KernelLaunch {
public:
  KernelLaunch(mlir::OpBuilder &builder, mlir::Location loc, int64_t workgroups,
               int64_t threads);

  /// Memory that a workgroup's threads share. Nobody clears it.
  mlir::Value addShared(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// Of all that was added.
  int64_t sharedBytes() const { return bytes; }

  mlir::gpu::LaunchOp launch;
  ThreadCode code;
  mlir::Value workgroup, thread;

private:
  int64_t bytes = 0;
};

/// Each writes the launch of one group at the builder's place, which is behind
/// all that the group reads. Fails, at an op with what is wrong, where the
/// configuration can't be had: the tiles don't divide each other, or a
/// workgroup would need more than the chip has.

/// Tiles of both operands go through shared memory, a tile of the result stays
/// in each thread's registers.
mlir::LogicalResult emitContraction(mlir::OpBuilder &builder,
                                    const LaunchGroup &group,
                                    const WorkgroupLimits &limits);

/// Each thread has a tile of the space; rows are reduced across threads.
mlir::LogicalResult emitTiles(mlir::OpBuilder &builder,
                              const LaunchGroup &group,
                              const WorkgroupLimits &limits);

/// A thread for each point of the parallel loops; it runs the others alone.
mlir::LogicalResult emitPoints(mlir::OpBuilder &builder,
                               const LaunchGroup &group,
                               const WorkgroupLimits &limits);

/// Ops that are no group, in order: parallel loops by a thread for each point,
/// others by one thread.
mlir::LogicalResult emitOthers(mlir::OpBuilder &builder,
                               llvm::ArrayRef<mlir::Operation *> ops,
                               const WorkgroupLimits &limits);

/// The configuration of the group's op that has one; its sizes are by the
/// dimensions of the group's space, 0 where nothing is said.
mlir::FailureOr<TileSizes> tileSizesOf(const LaunchGroup &group);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_MAPTOGPU_H
