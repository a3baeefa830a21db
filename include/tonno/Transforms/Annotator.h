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

/// Returns the annotator of a backend and a chip, or what of both is unknown.
Result<Annotator> annotatorFor(llvm::StringRef target, llvm::StringRef chip);

/// Returns an annotator that takes functions of dynamic shapes, too: their ops
/// get the knobs that they have if dimensions of unknown sizes have this one.
Annotator annotatorAtSize(Annotator annotate, int64_t size);

/// Returns true if the kernel states how it is lowered: it was tuned, or an op
/// of its closure has a `tonno.lowering_config`.
bool isConfigured(mlir::func::FuncOp kernel);

/// Returns true if another function's candidates are compared with this one.
bool isReference(mlir::func::FuncOp function);

/// Gives the functions a default space. Calls are inlined and tensor ops
/// converted to linalg first, so that each has knobs of its own; a function
/// that has knobs, or gets none, keeps its body. Private functions without
/// calls left are erased. References get no knobs, which would be those of the
/// kernels.
void annotateFunctions(llvm::ArrayRef<mlir::func::FuncOp> functions,
                       const Annotator &annotate);

} // namespace tonno

#endif // TONNO_TRANSFORMS_ANNOTATOR_H
