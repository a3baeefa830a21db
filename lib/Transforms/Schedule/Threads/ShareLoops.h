//===- Parallel loops over threads ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_THREADS_SHARELOOPS_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_THREADS_SHARELOOPS_H

#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tonno {

/// Returns the loop of `op` that `threads` share: in `order` (by default the
/// op's), the first parallel one with `least` iterations a thread, or else one.
/// Fails if there is none, or if a shared loop is around the op.
mlir::FailureOr<unsigned> sharedLoop(mlir::linalg::LinalgOp op,
                                     llvm::ArrayRef<int64_t> order,
                                     llvm::ArrayRef<int64_t> least,
                                     int64_t threads);

/// Returns true if the op has a loop that can be distributed over `threads`.
bool canBeShared(mlir::linalg::LinalgOp op, int64_t threads);

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
