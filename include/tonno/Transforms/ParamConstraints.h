//===- Constraints of schedules -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_PARAMCONSTRAINTS_H
#define TONNO_TRANSFORMS_PARAMCONSTRAINTS_H

#include "mlir/Dialect/Transform/SMTExtension/SMTExtensionOps.h"
#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"

#include <string>

namespace tonno {

/// The assertions of the op as constraints over the knobs that its operands
/// come from: directly, as constants, through `transform.include`, or through
/// the results of another such op. SMT's division is Euclidean, which the
/// texts spell out. What has no such form is an error at its op.
mlir::FailureOr<llvm::SmallVector<std::string>>
constraintsOf(mlir::transform::smt::ConstrainParamsOp op);

/// Erases every `transform.smt.constrain_params` in `root`: nothing interprets
/// them. Their results become the parameters that are yielded, or constants
/// where terms are: every knob must have a selected option. A term that is not
/// known is an error at the op.
mlir::LogicalResult eraseParamConstraints(mlir::Operation *root);

} // namespace tonno

#endif // TONNO_TRANSFORMS_PARAMCONSTRAINTS_H
