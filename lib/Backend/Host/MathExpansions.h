//===- Expansions of math ops for the host --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_HOST_MATHEXPANSIONS_H
#define TONNO_LIB_BACKEND_HOST_MATHEXPANSIONS_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace tonno {

/// Makes each math.expm1 a call of the C library's, by upstream's patterns.
/// `convert-math-to-llvm` would make it exp(x) - 1, which is 0 for small x.
std::unique_ptr<mlir::Pass> createCallExpm1Pass();

/// Makes math.ipowi and math.fpowi calls of functions in the module: LLVM's
/// intrinsic calls a library, and is for scalar exponents alone. Upstream's
/// pass, anew in each run: it keeps the functions of the last module.
std::unique_ptr<mlir::Pass> createPowersToFunctionsPass();

} // namespace tonno

#endif // TONNO_LIB_BACKEND_HOST_MATHEXPANSIONS_H
