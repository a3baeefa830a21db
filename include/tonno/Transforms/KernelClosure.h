//===- KernelClosure.h - A kernel with what it references -------*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_TRANSFORMS_KERNELCLOSURE_H
#define TONNO_TRANSFORMS_KERNELCLOSURE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace tonno {

/// A new module with clones of `kernel` and of everything that it references
/// through symbols, in source order, and with the attributes of its module.
mlir::OwningOpRef<mlir::ModuleOp> extractClosure(mlir::func::FuncOp kernel);

/// Identifies what a kernel's closure says, as SHA-256 in hex. Locations, names
/// of values, `tonno.tuned`, and all of a knob but its name don't count: a
/// kernel keeps its hash when an option is added or selected, and when it is
/// read from text or from bytecode.
std::string kernelHash(mlir::ModuleOp closure);

} // namespace tonno

#endif // TONNO_TRANSFORMS_KERNELCLOSURE_H
