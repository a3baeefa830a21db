//===- The search space of a kernel ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SEARCHSPACEEXTRACTION_H
#define TONNO_TRANSFORMS_SEARCHSPACEEXTRACTION_H

#include "tonno/Dialect/TonnoAttrs.h"
#include "tonno/Space/SearchSpace.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace tonno {

/// A place in the IR where a knob's value stands.
struct KnobSite {
  enum class Kind {
    attribute,    ///< a leaf of an attribute or type of the op
    side,         ///< in `tonno.knobs`, for an attribute that must be plain
    tune_knob,    ///< the op is a transform.tune.knob
    alternatives, ///< the op is a transform.tune.alternatives
  };

  Kind kind;
  mlir::Operation *op; ///< the first that has it
  llvm::StringRef name;
  DomainAttrInterface domain;
  std::optional<uint64_t> selected;      ///< the option that somebody chose
  std::optional<uint64_t> statedDefault; ///< that somebody stated
  KnobAttr knob;                         ///< of attribute and side

  uint64_t defaultIndex() const { return statedDefault.value_or(0); }
};

/// Calls `visit` for each place of a knob in `root`, the operation itself and
/// those inside, in order of appearance; stops at the first failure. Leaves of
/// attributes and types are told once for each distinct knob. A knob of a
/// schedule whose options can't be listed is an error, unless one is selected:
/// then it is no knob. So is a selected region that a parameter decides.
mlir::LogicalResult
walkKnobSites(mlir::Operation *root,
              llvm::function_ref<mlir::LogicalResult(const KnobSite &)> visit);

/// Returns the public functions with a body and a knob, resolved or not, in
/// their closure, in source order.
llvm::SmallVector<mlir::func::FuncOp> findKernels(mlir::ModuleOp module);

/// Returns true if every knob in the kernel's closure has a selected option.
bool isResolved(mlir::func::FuncOp kernel);

/// The treatment of knobs that have a selected option.
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

/// Returns the space of the knobs in `roots`, in order of appearance, with
/// their constraints, and the static dimensions that arguments name. Knobs of
/// one name are one variable: unequal options, defaults or selected options are
/// errors, and so is a constraint that can't be used. The defaults may break
/// constraints.
mlir::FailureOr<ExtractedSpace>
extractStatedSpace(llvm::ArrayRef<mlir::Operation *> roots,
                   SelectedKnobs selected);

/// Returns the same with a legal default: where defaults break a constraint,
/// those that nobody stated become the first legal options. Fails if there are
/// none.
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
