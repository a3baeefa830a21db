//===- Maps that read what they write -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_READINGMAPS_H
#define TONNO_TRANSFORMS_SCHEDULE_READINGMAPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// Makes each `linalg.map` whose payload reads what its result begins with a
/// generic op. Upstream takes a map's destination for one that is only written,
/// and copies nothing into a buffer of its own.
mlir::LogicalResult generalizeReadingMaps(mlir::func::FuncOp function);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_READINGMAPS_H
