//===- Functions of nested modules --------- ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_NESTEDFUNCTIONS_H
#define TONNO_TRANSFORMS_NESTEDFUNCTIONS_H

#include "mlir/IR/BuiltinOps.h"

namespace tonno {

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

#endif // TONNO_TRANSFORMS_NESTEDFUNCTIONS_H
