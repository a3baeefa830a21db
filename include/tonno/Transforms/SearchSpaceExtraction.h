//===- From knobs to a search space ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SEARCHSPACEEXTRACTION_H
#define TONNO_TRANSFORMS_SEARCHSPACEEXTRACTION_H

#include "tonno/Core/SearchSpace.h"
#include "tonno/Transforms/KnobSites.h"

#include "llvm/ADT/SmallVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "mlir/IR/BuiltinOps.h"
#include <optional>

namespace tonno {

/// The public functions of the module with a body and at least one knob in
/// their closure, in source order. Their knobs may have selected options
/// already.
llvm::SmallVector<mlir::func::FuncOp> findKernels(mlir::ModuleOp module);

/// Whether each knob in the kernel's closure has a selected option.
bool isResolved(mlir::func::FuncOp kernel);

/// What becomes of knobs that have a selected option.
enum class SelectedKnobs {
  vary,  ///< their whole domain
  fixed, ///< the selected option alone
};

/// A space, and which of its knobs have a default that somebody stated.
struct ExtractedSpace {
  SearchSpace space;
  std::vector<bool> isDefaultStated;
  /// The selected options of knobs that vary, beside the defaults of others; it
  /// may break constraints. Nothing where none is selected.
  std::optional<Configuration> selected = {};
};

/// The space that the knobs in `roots` span, in order of appearance, with their
/// constraints. Option i of a knob is option i of its domain, unless it is
/// fixed. Knobs of one name are one variable: unequal options, defaults or
/// selected options are errors, and so is a constraint that can't be used. The
/// defaults may break constraints.
mlir::FailureOr<ExtractedSpace>
extractStatedSpace(llvm::ArrayRef<mlir::Operation *> roots,
                   SelectedKnobs selected);

/// The same with a default that is legal: where the defaults break a
/// constraint, those that nobody stated give way, and the default is the first
/// configuration, in order of options, that is legal. It is an error if there
/// is none.
mlir::FailureOr<ExtractedSpace>
extractSpace(llvm::ArrayRef<mlir::Operation *> roots, SelectedKnobs selected);

/// The space alone, of one root.
mlir::FailureOr<SearchSpace>
extractSearchSpace(mlir::Operation *root,
                   SelectedKnobs selected = SelectedKnobs::vary);

/// The option as plain data. An integer loses its type, which is that of every
/// option of its knob: any type of up to 64 bits without a sign gives a number.
/// Arrays hold types of their own choice, so that only i64 is a number there.
Option toOption(mlir::Attribute attribute);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SEARCHSPACEEXTRACTION_H
