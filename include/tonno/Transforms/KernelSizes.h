//===- A kernel, and what of it are sizes ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_KERNELSIZES_H
#define TONNO_TRANSFORMS_KERNELSIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace tonno {

/// The hash of `kernelHash` that kernels share which differ in sizes alone:
/// extents of shapes, strides, static sizes and offsets of slices, bounds of
/// loops, constants of type index over 1, and tables.
std::string sizelessHash(mlir::ModuleOp closure, llvm::StringRef kernel);

/// Extents of each argument and result of the function that has a shape.
std::vector<std::vector<int64_t>> shapesOf(mlir::func::FuncOp kernel);

} // namespace tonno

#endif // TONNO_TRANSFORMS_KERNELSIZES_H
