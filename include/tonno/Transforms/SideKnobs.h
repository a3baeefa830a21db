//===- Knobs beside plain attributes --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SIDEKNOBS_H
#define TONNO_TRANSFORMS_SIDEKNOBS_H

#include "tonno/Dialect/TonnoAttrs.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/IR/Operation.h"

namespace tonno {

/// Calls `visit` for each knob in the op's `tonno.knobs`, with the value that
/// stands in its place now, as plain i64, booleans and arrays of these; null if
/// there is none. An entry of another shape than the attribute it is for is an
/// error at the op.
mlir::LogicalResult walkSideKnobs(
    mlir::Operation *op,
    llvm::function_ref<mlir::LogicalResult(KnobAttr, mlir::Attribute)> visit);

/// Gives each attribute of the op that has a knob in `tonno.knobs` the value
/// that `choose` returns, as what the op wants in its place: an integer of its
/// width, a dense array, a unit attribute that is there or not. A value that
/// the op refuses is an error at the op. `tonno.knobs` itself stays.
mlir::LogicalResult
setSideValues(mlir::Operation *op,
              llvm::function_ref<mlir::Attribute(KnobAttr)> choose);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SIDEKNOBS_H
