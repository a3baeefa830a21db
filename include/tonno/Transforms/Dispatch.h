//===- Kernels that dispatch on sizes ---------------------------*- C++ -*-===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_DISPATCH_H
#define TONNO_TRANSFORMS_DISPATCH_H

#include "tonno/Space/AnchorShapes.h"
#include "tonno/Transforms/ApplyConfiguration.h"

namespace tonno {

/// Makes a kernel of dynamic shapes call one of several private variants of it,
/// chosen by its sizes. Sizes outside of all ranges go to one more, which has
/// the default configuration and keeps the knobs. Returns the variants; fails,
/// with a diagnostic, if an axis has no dimension.
mlir::FailureOr<llvm::SmallVector<mlir::func::FuncOp>>
makeDispatch(mlir::func::FuncOp kernel, const SearchSpace &space,
             llvm::ArrayRef<Configuration> variants,
             const DispatchTable &table);

/// Returns true if the kernel calls variants.
bool isDispatch(mlir::func::FuncOp kernel);

/// Makes a kernel that dispatches the one that takes all sizes, and erases the
/// variants.
mlir::LogicalResult undoDispatch(mlir::func::FuncOp kernel);

} // namespace tonno

#endif // TONNO_TRANSFORMS_DISPATCH_H
