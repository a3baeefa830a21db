//===- WriteBack.h - Decisions become attributes ----------------*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_TUNER_WRITEBACK_H
#define TONNO_TUNER_WRITEBACK_H

#include "tonno/Tuner/TuneModule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// Selects the chosen option of each knob of the kernel and states on it, as
/// the plain dictionary `tonno.tuned`, where that comes from.
mlir::LogicalResult writeBack(mlir::func::FuncOp kernel,
                              const KernelOutcome &outcome);

} // namespace tonno

#endif // TONNO_TUNER_WRITEBACK_H
