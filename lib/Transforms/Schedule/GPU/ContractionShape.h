//===- How threads share a contraction ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SCHEDULE_GPU_CONTRACTIONSHAPE_H
#define TONNO_LIB_SCHEDULE_GPU_CONTRACTIONSHAPE_H

#include "Kernels.h"

namespace tonno {

/// One of the two dimensions of a workgroup's tile of the result.
struct TileAxis {
  unsigned dim = 0;   ///< of the group's space
  int64_t extent = 0; ///< of that
  int64_t block = 0;  ///< what a workgroup has of it
  int64_t perThread = 0;
  int64_t threads = 0; ///< along it: block / perThread
  int64_t vector = 1;  ///< elements side by side; the next are `threads` away

  int64_t numBlocks() const { return llvm::divideCeil(extent, block); }
  bool isGuarded() const { return extent % block != 0; }
  /// Of the i-th element of thread `t` in the workgroup's tile; i is a multiple
  /// of `vector`, or less than that away from one.
  mlir::Value position(ThreadCode &code, mlir::Value t, int64_t i) const {
    return code.add(code.multiply(t, vector),
                    i / vector * threads * vector + i % vector);
  }
};

/// How the workgroups and threads of a contraction share it. `lhs` has the rows
/// of the result, `rhs` the columns.
struct ContractionShape {
  TileAxis rows, columns;
  unsigned k = 0;    ///< the dimension that is summed up tile by tile
  int64_t depth = 0; ///< of the tiles that are in shared memory
  llvm::SmallVector<unsigned> outerParallel; ///< a workgroup has one index of
  llvm::SmallVector<unsigned> outerReduced;
  mlir::OpOperand *lhs = nullptr, *rhs = nullptr;

  /// Fails, at the op, where the configuration can't be had.
  static mlir::FailureOr<ContractionShape> find(const KernelGroup &group,
                                                const WorkgroupLimits &limits);

  int64_t numThreads() const { return rows.threads * columns.threads; }
};

} // namespace tonno

#endif // TONNO_LIB_SCHEDULE_GPU_CONTRACTIONSHAPE_H
