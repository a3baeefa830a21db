//===- Kernels and what they reference ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_KERNELCLOSURE_H
#define TONNO_TRANSFORMS_KERNELCLOSURE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace tonno {

/// Returns the closure of a kernel: the kernel, its schedule and the ops
/// referenced through symbols, all at the module's top level, in source order.
llvm::SmallVector<mlir::Operation *> collectClosure(mlir::func::FuncOp kernel);

/// Returns a new module with clones of the kernel's closure and its module's
/// attributes, without prints. A lone schedule is named as `tonno.schedule`.
mlir::OwningOpRef<mlir::ModuleOp> extractClosure(mlir::func::FuncOp kernel);

/// Reports what `extractClosure` leaves out: vector.print.
void remarkOnPrints(mlir::func::FuncOp kernel);

/// Returns the SHA-256, in hex, of a kernel's computation and lowering.
/// Excludes locations, constraints, `tonno.tuned`, the names of values,
/// dimensions and the kernel, and everything of a knob but its name.
std::string kernelHash(mlir::ModuleOp closure, llvm::StringRef kernel);

/// Returns the hash of `kernelHash` without sizes, equal for kernels that
/// differ in sizes only: extents of shapes, strides, static sizes and offsets
/// of slices, bounds of loops, constants of type index over 1, and tables.
std::string sizelessHash(mlir::ModuleOp closure, llvm::StringRef kernel);

/// Extents of each argument and result of the function that has a shape.
std::vector<std::vector<int64_t>> collectShapes(mlir::func::FuncOp kernel);

/// Explains why the module has no kernel: emits an error that names functions
/// of modules nested in it, if it has no public function with a body itself.
mlir::LogicalResult refuseNestedFunctions(mlir::ModuleOp module);

/// Emits an error if modules nested in it have a function of the name.
mlir::LogicalResult refuseNestedFunctions(mlir::ModuleOp module,
                                          llvm::StringRef name);

/// Warns of functions of nested modules that would be kernels in the outermost.
void warnOfNestedKernels(mlir::ModuleOp module);

} // namespace tonno

#endif // TONNO_TRANSFORMS_KERNELCLOSURE_H
