//===- A knob for the threads of ops --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_DEFAULTSPACE_THREADSKNOB_H
#define TONNO_LIB_TRANSFORMS_DEFAULTSPACE_THREADSKNOB_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// Gives each configured op of the function that says nothing of threads
/// and that the most of `options` can share one knob, `T`, the same for all, by
/// default of the first option. What is computed together is shared with the op
/// that it is computed with. Returns how many ops have it.
unsigned offerThreads(mlir::func::FuncOp function,
                      llvm::ArrayRef<int64_t> options);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_DEFAULTSPACE_THREADSKNOB_H
