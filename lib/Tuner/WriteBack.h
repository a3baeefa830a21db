//===- Writes decisions into attributes -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TUNER_WRITEBACK_H
#define TONNO_LIB_TUNER_WRITEBACK_H

#include "tonno/Tuner/TuneModule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// Selects the chosen options of the kernels' knobs (see applyToKernels) and
/// states on each kernel, as the plain dictionary `tonno.tuned`, where they
/// come from.
mlir::LogicalResult writeBack(llvm::ArrayRef<mlir::func::FuncOp> kernels,
                              llvm::ArrayRef<KernelOutcome> outcomes);

} // namespace tonno

#endif // TONNO_LIB_TUNER_WRITEBACK_H
