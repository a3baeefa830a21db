//===- Parallel loops over threads ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_THREADS_SHARELOOPS_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_THREADS_SHARELOOPS_H

#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tonno {

/// Returns the parallel loop of `op` that `threads` share in equal parts: the
/// one by which the slowest thread has least to do; among those about as good,
/// the one whose parts consist of whole `tiles`, or else the first in `order`
/// (by default the op's). `dividedShare` gives the share of the work, from 0 to
/// 1, that is divided with a loop; all of it by default. Fails if no loop has
/// an iteration for each thread, or if a shared loop is around the op.
mlir::FailureOr<unsigned>
sharedLoop(mlir::linalg::LinalgOp op, llvm::ArrayRef<int64_t> order,
           llvm::ArrayRef<int64_t> tiles, int64_t threads,
           llvm::function_ref<double(unsigned)> dividedShare = {});

/// Returns true if the op has a loop that can be distributed over `threads`.
bool canBeShared(mlir::linalg::LinalgOp op, int64_t threads);

/// Returns true if so many iterations of linalg ops take much longer than the
/// start of a team of threads.
bool isWorthSharing(double iterations);

/// Says of a loop of one iteration a thread that they share it.
void markShared(mlir::scf::ForallOp loop, int64_t threads);

/// Returns the number of threads that share the loop; 1 by default.
int64_t getNumThreads(mlir::scf::ForallOp loop);

/// Computes the ordinal of `iteration` in the loop, counted from 0, as an
/// index.
mlir::Value createIterationOrdinal(mlir::OpBuilder &builder,
                                   mlir::scf::ForallOp loop,
                                   mlir::Value iteration);

/// Returns the parallel loop around `op` that is distributed over threads; null
/// if there is none.
mlir::scf::ForallOp getEnclosingSharedLoop(mlir::Operation *op);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_THREADS_SHARELOOPS_H
