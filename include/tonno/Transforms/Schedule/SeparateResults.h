//===- SeparateResults.h - Memory for each result ------------- -*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_TRANSFORMS_SCHEDULE_SEPARATERESULTS_H
#define TONNO_TRANSFORMS_SCHEDULE_SEPARATERESULTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// No two results of an op, and no two of the kernel, are computed in the same
/// memory: what one is begun with becomes its buffer, where the other would be
/// written over. Fills are repeated for that, and other tensors copied.
void separateResults(mlir::func::FuncOp kernel);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_SEPARATERESULTS_H
