//===- Kernels that leave nothing open ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_HOST_STRICTKERNEL_H
#define TONNO_LIB_BACKEND_HOST_STRICTKERNEL_H

#include "mlir/IR/BuiltinOps.h"

namespace tonno {

/// Leaves nothing open: ops lose their fast-math flags, and where an integer
/// type can't hold what a float is converted to, which then is undefined, the
/// result is one that other code does not give.
void makeStrict(mlir::ModuleOp module);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_HOST_STRICTKERNEL_H
