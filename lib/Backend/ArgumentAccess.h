//===- What a kernel does to buffers --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_ARGUMENTACCESS_H
#define TONNO_LIB_BACKEND_ARGUMENTACCESS_H

#include "tonno/Core/LaunchPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// What a kernel without calls does with each of its arguments, as its ops
/// show: `read` only if none may write, `write` only if it is certain that all
/// of it is overwritten before any of it is read; in doubt `read_write`. What
/// is not touched is read.
llvm::SmallVector<Access> findArgumentAccess(mlir::func::FuncOp kernel);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_ARGUMENTACCESS_H
