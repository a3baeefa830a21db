//===- The work of a kernel in any configuration ----------------*- C++ -*-===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_KERNELWORK_H
#define TONNO_LIB_BACKEND_KERNELWORK_H

#include "tonno/Core/TimeBound.h"

#include "mlir/IR/BuiltinOps.h"

namespace tonno {

/// Returns the work of the kernel's linalg ops: the multiply-adds of its
/// contractions (of the types of the largest one), the bytes of inputs that
/// they read as a whole, and of the results. Other ops do no work.
KernelWork computeKernelWork(mlir::ModuleOp module, llvm::StringRef kernel);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_KERNELWORK_H
