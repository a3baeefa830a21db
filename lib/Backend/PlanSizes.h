//===- Sizes among the buffers of a launch plan -----------------*- C++ -*-===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_PLANSIZES_H
#define TONNO_LIB_BACKEND_PLANSIZES_H

#include "tonno/Core/LaunchPlan.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/IntegerSet.h"

namespace tonno {

/// Returns the buffers by which callers give the sizes of others, in their
/// order.
Signature findSizes(const LaunchPlan &plan);

/// Writes an expression of sizes, which are its symbols and not negative, as C
/// and Python have it, but for Python's `//`.
std::string writeExpression(mlir::AffineExpr value, const Signature &sizes);

/// Writes the condition that one of the sets contains the sizes, as Python has
/// it, but for `//`.
std::string writeCondition(llvm::ArrayRef<mlir::IntegerSet> sets,
                           const Signature &sizes);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_PLANSIZES_H
