//===- From a user's module to kernels ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TUNER_PREPAREMODULE_H
#define TONNO_TUNER_PREPAREMODULE_H

#include "tonno/Tuner/TuneModule.h"

namespace tonno {

/// Writes the kernel options into the module, and gives a default space to what
/// is to be tuned but has no knobs: the named function, or where no function
/// has knobs, every public one that tonno's own schedule lowers. Warns, with
/// the reason, of public functions that are then not tuned, if others are.
/// Comes before `tuneModule`.
mlir::LogicalResult prepareModule(mlir::ModuleOp module,
                                  const TuneOptions &options);

} // namespace tonno

#endif // TONNO_TUNER_PREPAREMODULE_H
