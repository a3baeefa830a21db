//===- The kernels of groups ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SCHEDULE_GPU_KERNELS_H
#define TONNO_LIB_SCHEDULE_GPU_KERNELS_H

#include "KernelGroup.h"
#include "KernelLaunch.h"

#include "tonno/Transforms/Schedule/TileSizes.h"

namespace tonno {

/// Each writes the launch of one group at the builder's place, which is behind
/// all that the group reads. Fails, at an op with what is wrong, where the
/// configuration can't be had: the tiles don't divide each other, or a
/// workgroup would need more than the chip has.

/// Tiles of both operands go through shared memory, a tile of the result stays
/// in each thread's registers.
mlir::LogicalResult emitContraction(mlir::OpBuilder &builder,
                                    const KernelGroup &group,
                                    const WorkgroupLimits &limits);

/// Each thread has a tile of the space; rows are reduced across threads.
mlir::LogicalResult emitTiles(mlir::OpBuilder &builder,
                              const KernelGroup &group,
                              const WorkgroupLimits &limits);

/// A thread for each point of the parallel loops; it runs the others alone.
mlir::LogicalResult emitPoints(mlir::OpBuilder &builder,
                               const KernelGroup &group,
                               const WorkgroupLimits &limits);

/// Ops that are no group, in order: parallel loops by a thread for each point,
/// others by one thread.
mlir::LogicalResult emitOthers(mlir::OpBuilder &builder,
                               llvm::ArrayRef<mlir::Operation *> ops,
                               const WorkgroupLimits &limits);

/// The configuration of the group's op that has one; its sizes are by the
/// dimensions of the group's space, 0 where nothing is said.
mlir::FailureOr<TileSizes> tileSizesOf(const KernelGroup &group);

} // namespace tonno

#endif // TONNO_LIB_SCHEDULE_GPU_KERNELS_H
