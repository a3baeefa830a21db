//===- How threads share a space ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SCHEDULE_GPU_TILESHAPE_H
#define TONNO_LIB_SCHEDULE_GPU_TILESHAPE_H

#include "Kernels.h"
#include "PointAccess.h"

namespace tonno {

/// How the threads of workgroups share the space of elementwise ops and
/// reductions over one dimension. Neighbouring threads have neighbouring
/// points: of a dimension, thread t has the points t, t + threads, ... of each
/// of the workgroup's tiles, `width` side by side along the dimension `along`.
struct TileShape {
  llvm::SmallVector<int64_t> extents; ///< of the space
  std::optional<unsigned> reduced;
  unsigned along = 0;
  int64_t width = 1;
  llvm::SmallVector<int64_t> threads; ///< along each dimension
  /// Of each dimension: how often a thread has points in a workgroup's tile.
  llvm::SmallVector<int64_t> steps;

  /// Fails, at an op, where the configuration can't be had.
  static mlir::FailureOr<TileShape> find(const KernelGroup &group,
                                         const WorkgroupLimits &limits);

  int64_t numThreads() const;
  /// Points of the workgroup's tile along a dimension.
  int64_t block(unsigned dim) const {
    return threads[dim] * steps[dim] * (dim == along ? width : 1);
  }
  int64_t numBlocks(unsigned dim) const;
  bool isGuarded(unsigned dim) const { return extents[dim] % block(dim) != 0; }
  /// Parts of the reduced dimension that are worked on one after the other.
  int64_t numChunks() const { return reduced ? numBlocks(*reduced) : 1; }
  /// The dimensions in the order in which threads are numbered, the last
  /// fastest.
  llvm::SmallVector<unsigned> threadOrder() const;
  /// Distance of the numbers of two threads that are neighbours along `dim`.
  int64_t threadStride(unsigned dim) const;
};

} // namespace tonno

#endif // TONNO_LIB_SCHEDULE_GPU_TILESHAPE_H
