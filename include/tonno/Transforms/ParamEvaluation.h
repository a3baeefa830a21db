//===- Values of SMT terms over parameters --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_PARAMEVALUATION_H
#define TONNO_TRANSFORMS_PARAMEVALUATION_H

#include "mlir/IR/Value.h"

#include <cstdint>
#include <optional>

namespace tonno {

/// The value of a term in a `transform.smt.constrain_params`, whose parameters
/// come from knobs with a selected option or from constants; booleans are 0 and
/// 1. None if the term depends on something else, divides by zero, or leaves 64
/// bits. Division is SMT's: the remainder is never negative.
std::optional<int64_t> evaluateParam(mlir::Value term);

} // namespace tonno

#endif // TONNO_TRANSFORMS_PARAMEVALUATION_H
