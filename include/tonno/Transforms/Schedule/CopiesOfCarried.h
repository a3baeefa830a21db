//===- Loops that share no tensors ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_COPIESOFCARRIED_H
#define TONNO_TRANSFORMS_SCHEDULE_COPIESOFCARRIED_H

#include "mlir/IR/Operation.h"

namespace tonno {

/// Every loop begins with copies and hands on copies, which are written back
/// into the places that it began with; what branches and selects yield are
/// copies. It is slow, but bufferisation never finds what is still to be read
/// where it has to write.
void copyCarried(mlir::Operation *root);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_COPIESOFCARRIED_H
