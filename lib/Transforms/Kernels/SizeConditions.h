//===- Constraints over sizes as IR -----------------------------*- C++ -*-===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_KERNELS_SIZECONDITIONS_H
#define TONNO_LIB_TRANSFORMS_KERNELS_SIZECONDITIONS_H

#include "tonno/Core/Json.h"
#include "tonno/Space/Constraint.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tonno {

/// Writes the i1 that says where a constraint holds, given the values of knobs
/// and of sizes that are known. `findSize` returns the others as index values.
/// The Error says what IR does not test.
Result<mlir::Value>
writeSizeCondition(mlir::ImplicitLocOpBuilder &builder,
                   const Constraint &constraint, const Json &values,
                   llvm::function_ref<mlir::Value(llvm::StringRef)> findSize);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_KERNELS_SIZECONDITIONS_H
