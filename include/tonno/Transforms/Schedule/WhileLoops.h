//===- What an scf.while carries ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_WHILELOOPS_H
#define TONNO_TRANSFORMS_SCHEDULE_WHILELOOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// Gives each tensor of static shape that an scf.while carries one position
/// among its arguments, in both blocks, and among its results: only then is it
/// bufferised in place.
void alignCarried(mlir::func::FuncOp kernel);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_WHILELOOPS_H
