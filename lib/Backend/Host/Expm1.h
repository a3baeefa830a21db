//===- Calls of expm1 -----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_HOST_EXPM1_H
#define TONNO_LIB_BACKEND_HOST_EXPM1_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace tonno {

/// Makes each math.expm1 a call of the C library's, by upstream's patterns.
/// `convert-math-to-llvm` would make it exp(x) - 1, which is 0 for small x.
std::unique_ptr<mlir::Pass> createCallExpm1Pass();

} // namespace tonno

#endif // TONNO_LIB_BACKEND_HOST_EXPM1_H
