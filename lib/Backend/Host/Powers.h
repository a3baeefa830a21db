//===- Integer powers as functions ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BACKEND_HOST_POWERS_H
#define TONNO_BACKEND_HOST_POWERS_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace tonno {

/// Makes math.ipowi and math.fpowi calls of functions in the module: LLVM's
/// intrinsic calls a library, and is for scalar exponents alone. Upstream's
/// pass, anew in each run: it keeps the functions of the last module.
std::unique_ptr<mlir::Pass> createPowersToFunctionsPass();

} // namespace tonno

#endif // TONNO_BACKEND_HOST_POWERS_H
