//===- Memory for each result ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_SEPARATERESULTS_H
#define TONNO_TRANSFORMS_SCHEDULE_SEPARATERESULTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// Of an op's results, each is begun with a tensor of its own: one that two are
/// begun with would become the buffer of both.
void separateInits(mlir::func::FuncOp kernel);

/// The same of copies into empty tensors, which are written in place even where
/// another has become the same expression.
void separateCopies(mlir::func::FuncOp kernel);

/// Branches that hand on different tensors hand on copies of those from
/// outside: bufferisation takes what may lie in one place or another to be
/// written over where either is.
void separateBranches(mlir::func::FuncOp kernel);

/// No two results of the kernel are computed in the same memory: what one is
/// begun with becomes its buffer, where the other would be written over. Fills
/// are repeated for that, and other tensors copied.
void separateResults(mlir::func::FuncOp kernel);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_SEPARATERESULTS_H
