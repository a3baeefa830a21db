//===- How far roundings move results -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_HOST_ROUNDINGNUDGE_H
#define TONNO_LIB_BACKEND_HOST_ROUNDINGNUDGE_H

#include "mlir/IR/BuiltinOps.h"

namespace tonno {

/// Makes the nth rounded operation in a reference in f64, in linalg ops or in
/// loops, give more by `shareOf(n)` of its result; of a sum, each term. What
/// that does to the results tells how far they may move by the roundings of a
/// candidate: of 1 + tanh(x) for large negative x, and of what is left of a sum
/// after its largest term is subtracted, by much more than by a movement of the
/// inputs. Returns how many operations there are; one alone moves results as
/// the inputs do.
unsigned nudgeRoundings(mlir::ModuleOp reference,
                        llvm::function_ref<double(unsigned)> shareOf);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_HOST_ROUNDINGNUDGE_H
