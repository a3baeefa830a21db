//===- The default schedule of a target -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_DEFAULTSCHEDULE_H
#define TONNO_TRANSFORMS_DEFAULTSCHEDULE_H

#include "tonno/Transforms/Annotator.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tonno {

/// Ops of a function that a schedule computes together.
struct OpGroups {
  /// The last op of its group for each op in one; groups may have one op.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> lastOps;
  /// Ops that become part of each of their users, whatever group that is in.
  llvm::DenseSet<mlir::Operation *> absorbed;
};

/// Treatment of functions by a backend without a configuration.
struct DefaultSchedule {
  Annotator annotate;
  /// Returns the groups of a function with a default space or configurations.
  std::function<OpGroups(mlir::func::FuncOp)> findGroups;
  /// Returns what an op's time grows with, for comparisons; 0 if unknown.
  std::function<int64_t(mlir::Operation *)> countWork;
};

/// Returns the schedule of a backend for a chip, or what of both is unknown.
Result<DefaultSchedule> findDefaultSchedule(llvm::StringRef target,
                                            llvm::StringRef chip);

} // namespace tonno

#endif // TONNO_TRANSFORMS_DEFAULTSCHEDULE_H
