//===- Knobs in attributes and in schedules -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_KNOBS_OPKNOBS_H
#define TONNO_LIB_TRANSFORMS_KNOBS_OPKNOBS_H

#include "tonno/Dialect/TonnoAttrs.h"

#include "mlir/Dialect/Transform/SMTExtension/SMTExtensionOps.h"

#include <string>

namespace tonno {

/// Calls `visit` for each knob in the op's `tonno.knobs` with the plain value
/// of its attribute, or null. Fails at the op if an entry and its attribute
/// have different shapes.
mlir::LogicalResult walkSideKnobs(
    mlir::Operation *op,
    llvm::function_ref<mlir::LogicalResult(KnobAttr, mlir::Attribute)> visit);

/// Sets each attribute of the op that has a knob in `tonno.knobs` to the value
/// that `choose` returns, in the form that the op expects: an integer of its
/// width, a dense array, a unit attribute or none. A value that the op refuses
/// is an error at the op. `tonno.knobs` itself is kept.
mlir::LogicalResult
setSideValues(mlir::Operation *op,
              llvm::function_ref<mlir::Attribute(KnobAttr)> choose);

/// Returns the assertions of the op as constraints over the knobs that its
/// operands come from: directly, as constants, through `transform.include`, or
/// through the results of another such op. SMT's division is Euclidean, which
/// the texts spell out. An assertion without such a form is an error at its op.
mlir::FailureOr<llvm::SmallVector<std::string>>
extractConstraintTexts(mlir::transform::smt::ConstrainParamsOp op);

/// Erases every `transform.smt.constrain_params` in `root`, which nothing
/// interprets. Results become parameters or, with every knob selected,
/// constants. Fails at a term that is not known.
mlir::LogicalResult eraseParamConstraints(mlir::Operation *root);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_KNOBS_OPKNOBS_H
