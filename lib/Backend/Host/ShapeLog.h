//===- Objects that log the sizes of their calls ----------------*- C++ -*-===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_HOST_SHAPELOG_H
#define TONNO_LIB_BACKEND_HOST_SHAPELOG_H

#include "tonno/Backend/Backend.h"

namespace tonno {

/// Adds to a lowered kernel of dynamic shapes code that counts the sizes of
/// each call, without locks, and at exit appends them to `<kernel>.shapes.csv`,
/// in the folder that the variable `TONNO_SHAPES_DIR` names, else in the
/// working directory. `--shapes` reads it: rows of one shape add up. Keeps
/// 1,024 shapes in each of 16 tables, which threads share; other calls are
/// counted as one number, in a comment. Fails if no dimension of the kernel is
/// dynamic.
mlir::LogicalResult addShapeLog(mlir::ModuleOp lowered, const LaunchPlan &plan,
                                llvm::StringRef kernel);

/// Returns true if the lowered kernel logs shapes.
bool hasShapeLog(mlir::ModuleOp lowered);

/// Returns true for functions of the C library that the log calls.
bool isCalledByShapeLog(llvm::StringRef symbol);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_HOST_SHAPELOG_H
