//===- Dynamic dimensions of kernels --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_KERNELS_DYNAMICDIMENSIONS_H
#define TONNO_LIB_TRANSFORMS_KERNELS_DYNAMICDIMENSIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace tonno {

/// An axis of an argument.
struct ArgumentAxis {
  unsigned argument;
  unsigned axis;
};

/// Axes of a kernel's arguments that have one size, unknown in their types,
/// because the kernel's ops need it or `tonno.dims` gives them one name.
struct DynamicDimension {
  /// By `tonno.dims`; else "d" with its number, counted from 0 over all
  /// dynamic dimensions of the kernel.
  llvm::SmallVector<std::string, 1> names;
  llvm::SmallVector<ArgumentAxis> axes;
  /// The size of an axis of known size that the ops need to be equal.
  std::optional<int64_t> size;
};

/// Returns the dynamic dimensions of a kernel in order of appearance. Axes of
/// memrefs that the kernel only loads from and stores to are each their own.
/// Fails, with an error at the kernel, if axes of different known sizes must be
/// equal.
mlir::FailureOr<llvm::SmallVector<DynamicDimension>>
findDynamicDimensions(mlir::func::FuncOp kernel);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_KERNELS_DYNAMICDIMENSIONS_H
