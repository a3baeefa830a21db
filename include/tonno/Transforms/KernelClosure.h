//===- Kernels and what they reference ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_KERNELCLOSURE_H
#define TONNO_TRANSFORMS_KERNELCLOSURE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace tonno {

/// The kernel and everything of its module that it references through symbols,
/// directly or not, and its schedule: operations of the module's top level, in
/// source order.
llvm::SmallVector<mlir::Operation *> closureOf(mlir::func::FuncOp kernel);

/// A new module with clones of the kernel's closure, and with the attributes of
/// its module. There a schedule that is the kernel's for being the only one
/// stands as its `tonno.schedule`. Nothing in it prints.
mlir::OwningOpRef<mlir::ModuleOp> extractClosure(mlir::func::FuncOp kernel);

/// Reports what `extractClosure` leaves out: vector.print.
void remarkOnPrints(mlir::func::FuncOp kernel);

/// Identifies what a kernel's closure computes and how it is lowered, as
/// SHA-256 in hex. Locations, names of values and of the kernel itself,
/// `tonno.tuned`, constraints, and all of a knob but its name don't count: a
/// kernel keeps its hash when an option is added or selected, when it is
/// renamed, and when it is read from text or from bytecode.
std::string kernelHash(mlir::ModuleOp closure, llvm::StringRef kernel);

/// The hash of `kernelHash` that kernels share which differ in sizes alone:
/// extents of shapes, strides, static sizes and offsets of slices, bounds of
/// loops, constants of type index over 1, and tables.
std::string sizelessHash(mlir::ModuleOp closure, llvm::StringRef kernel);

/// Extents of each argument and result of the function that has a shape.
std::vector<std::vector<int64_t>> shapesOf(mlir::func::FuncOp kernel);

/// Explains why the module has no kernel: emits an error that names functions
/// of modules nested in it, if it has no public function with a body itself.
mlir::LogicalResult refuseNestedFunctions(mlir::ModuleOp module);

/// Explains why the module has no kernel of this name: emits an error if
/// modules nested in it have a function of the name.
mlir::LogicalResult refuseNestedFunctions(mlir::ModuleOp module,
                                          llvm::StringRef name);

/// Warns of functions of nested modules that would be kernels in the outermost
/// one.
void warnOfNestedKernels(mlir::ModuleOp module);

} // namespace tonno

#endif // TONNO_TRANSFORMS_KERNELCLOSURE_H
