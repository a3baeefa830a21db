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
  std::optional<uint64_t> selected;      ///< the selected option
  std::optional<uint64_t> statedDefault; ///< the explicit default
  KnobAttr knob;                         ///< of attribute and side

  uint64_t defaultIndex() const { return statedDefault.value_or(0); }
};

/// Calls `visit` for each use of a knob in `root` and its nested ops, in order
/// of appearance; stops at the first failure. Visits leaves of attributes and
/// types once for each distinct knob. Fails on a knob of a schedule whose
/// options cannot be listed, unless one is selected, and on a selected region
/// that a parameter decides.
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

/// A space, and which of its knobs have an explicit default.
struct ExtractedSpace {
  SearchSpace space;
  std::vector<bool> isDefaultStated;
  /// The selected options of knobs that vary, beside the defaults of others; it
  /// may break constraints. Nothing where none is selected.
  std::optional<Configuration> selected = {};
};

/// Returns the space of the knobs in `roots`, in order of appearance, with
/// their constraints, and the static dimensions that arguments name, but
/// without constraints over dynamic dimensions. Knobs of one name are one
/// variable: unequal options, defaults or selected options are errors, and so
/// is a constraint that can't be used. The defaults may break constraints.
mlir::FailureOr<ExtractedSpace>
extractStatedSpace(llvm::ArrayRef<mlir::Operation *> roots,
                   SelectedKnobs selected);

/// Extracts the space like extractStatedSpace, with a legal default: if the
/// defaults break a constraint, replaces implicit ones by the first legal
/// options. Fails if there are none.
///
/// With `sizes` of the dynamic dimensions, each under all its names, the space
/// has the constraints over these, too. Where the default breaks one of them,
/// they exempt it: kernels call it at all sizes that have no better one.
mlir::FailureOr<ExtractedSpace>
extractSpace(llvm::ArrayRef<mlir::Operation *> roots, SelectedKnobs selected,
             llvm::ArrayRef<Dimension> sizes = {});

/// Returns the constraints in `roots` that name a dynamic dimension.
mlir::FailureOr<std::vector<std::string>>
findSizeConstraints(llvm::ArrayRef<mlir::Operation *> roots);

/// Extracts only the space, from one root.
mlir::FailureOr<SearchSpace>
extractSearchSpace(mlir::Operation *root,
                   SelectedKnobs selected = SelectedKnobs::vary);

/// Converts an option to plain data. Drops the type of an integer, which is
/// common to all options of its knob: signless types of up to 64 bits become
/// numbers. Arrays have element types of their own, so only i64 elements become
/// numbers.
Option toOption(mlir::Attribute attribute);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SEARCHSPACEEXTRACTION_H
