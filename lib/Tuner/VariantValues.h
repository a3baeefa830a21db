//===- Values of a dispatching kernel's variants ----------------*- C++ -*-===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TUNER_VARIANTVALUES_H
#define TONNO_LIB_TUNER_VARIANTVALUES_H

#include "tonno/Core/Json.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace tonno {

/// Returns the values of the variants' knobs as `tonno.tuned` states them,
/// under `variants`: a dictionary each.
mlir::ArrayAttr describeVariants(mlir::MLIRContext *context,
                                 llvm::ArrayRef<Json> variants);

/// Returns the values that a kernel's `tonno.tuned` states of its variants;
/// empty if it states none.
std::vector<Json> readVariants(mlir::func::FuncOp kernel);

} // namespace tonno

#endif // TONNO_LIB_TUNER_VARIANTVALUES_H
