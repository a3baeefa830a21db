//===- SearchSpaceExtraction.h - From knobs to a search space ---*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_TRANSFORMS_SEARCHSPACEEXTRACTION_H
#define TONNO_TRANSFORMS_SEARCHSPACEEXTRACTION_H

#include "tonno/Core/SearchSpace.h"
#include "tonno/Dialect/TonnoAttrs.h"

#include "llvm/ADT/SmallVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tonno {

/// The public functions of the module with a body and at least one knob, in
/// source order. Their knobs may have selected options already.
llvm::SmallVector<mlir::func::FuncOp> findKernels(mlir::ModuleOp module);

/// Whether each knob in `kernel` has a selected option.
bool isResolved(mlir::func::FuncOp kernel);

/// Calls `visit` for each distinct knob in `root`, the operation itself and
/// those inside, in order of appearance, with the first operation that has it;
/// stops at the first failure. A knob may be at any depth of an attribute or a
/// type.
mlir::LogicalResult walkKnobs(
    mlir::Operation *root,
    llvm::function_ref<mlir::LogicalResult(mlir::Operation *, KnobAttr)> visit);

/// One knob of each name in `root`, in order of appearance. Knobs of one name
/// are one variable: unequal options or defaults are an error.
mlir::FailureOr<llvm::SmallVector<KnobAttr>>
collectKnobs(mlir::Operation *root);

/// The space that the knobs in `root` span, in order of appearance. Option i of
/// a knob there is option i of the attribute.
mlir::FailureOr<SearchSpace> extractSearchSpace(mlir::Operation *root);

/// The option as plain data. An integer loses its type, which is that of every
/// option of its knob: any type of up to 64 bits without a sign gives a number.
/// Arrays hold types of their own choice, so that only i64 is a number there.
Option toOption(mlir::Attribute attribute);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SEARCHSPACEEXTRACTION_H
