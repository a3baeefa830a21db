//===- Branches that choose launches ----------------------------*- C++ -*-===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_LAUNCHBRANCHES_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_LAUNCHBRANCHES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IntegerSet.h"

namespace tonno {

/// Returns true if the launches in the op's regions can be conditional: it is a
/// branch without results on a condition of the kernel's sizes.
bool isLaunchBranch(mlir::Operation *op);

/// Returns the blocks of the kernel that may contain launches: its entry block,
/// and those of launch branches, each behind the one that it is in.
llvm::SmallVector<mlir::Block *> findLaunchBlocks(mlir::func::FuncOp kernel);

/// Returns sets of sizes, one of which contains the kernel's sizes if the op is
/// reached. Its symbols are the sizes, in their order. Fails if a loop is
/// around the op, or a branch on another condition.
mlir::FailureOr<llvm::SmallVector<mlir::IntegerSet>>
findReachingSizes(mlir::Operation *op);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_LAUNCHBRANCHES_H
