//===- Default spaces for a target ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_ANNOTATOR_H
#define TONNO_TRANSFORMS_ANNOTATOR_H

#include "tonno/Core/Result.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>

namespace tonno {

/// Gives ops of a function a default space; returns how many.
using Annotator = std::function<unsigned(mlir::func::FuncOp)>;

/// That of a backend and a chip: see annotateForHost and annotateForGpu. The
/// Error says what of both is unknown.
Result<Annotator> annotatorFor(llvm::StringRef target, llvm::StringRef chip);

/// Returns true if another function's candidates are compared with this one.
bool isReference(mlir::func::FuncOp function);

/// Gives the functions a default space. What they call becomes a part of them,
/// and what computes tensors is converted to linalg (see
/// `tonno-convert-to-linalg`), so that each has knobs of its own. A function
/// with knobs keeps its body, one that gets none does too; private functions
/// that nothing calls any more are erased. References get no knobs: these would
/// be knobs of the kernels that are compared with them.
void annotateFunctions(llvm::ArrayRef<mlir::func::FuncOp> functions,
                       const Annotator &annotate);

} // namespace tonno

#endif // TONNO_TRANSFORMS_ANNOTATOR_H
