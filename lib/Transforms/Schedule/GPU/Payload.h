//===- What an op does with its elements ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SCHEDULE_GPU_PAYLOAD_H
#define TONNO_LIB_SCHEDULE_GPU_PAYLOAD_H

#include "ThreadCode.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tonno {

/// What a linalg op yields for these elements of its operands, inputs then
/// inits: scalars, or vectors of `width` points at once.
llvm::SmallVector<mlir::Value> emitPayload(ThreadCode &code,
                                           mlir::linalg::LinalgOp op,
                                           llvm::ArrayRef<mlir::Value> elements,
                                           int64_t width);

/// The op with other operands, of one type, which is the result's.
mlir::Value combine(ThreadCode &code, mlir::Operation *combiner, mlir::Value x,
                    mlir::Value y);

} // namespace tonno

#endif // TONNO_LIB_SCHEDULE_GPU_PAYLOAD_H
