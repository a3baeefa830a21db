//===- Give knobs their values --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_APPLYCONFIGURATION_H
#define TONNO_TRANSFORMS_APPLYCONFIGURATION_H

#include "tonno/Core/Configuration.h"
#include "tonno/Space/SearchSpace.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// The form in which a knob receives its value.
enum class KnobMode {
  /// Becomes the value as a plain attribute; constraints are erased.
  Resolve,
  Select, ///< it stays, with the value as its selected option
};

/// Gives every knob in `roots` the option whose number `choose` returns, and
/// verifies them. Knobs of schedules are selected in both modes.
mlir::LogicalResult
replaceKnobs(llvm::ArrayRef<mlir::Operation *> roots, KnobMode mode,
             llvm::function_ref<uint64_t(const KnobSite &)> choose);

/// Gives every knob in `roots` its value in `configuration`, a point of
/// `space`. Fails, with `roots` unchanged, at a knob that is not as in `space`.
mlir::LogicalResult applyConfiguration(llvm::ArrayRef<mlir::Operation *> roots,
                                       const SearchSpace &space,
                                       const Configuration &configuration,
                                       KnobMode mode);

/// Gives every knob in a kernel's closure its selected option or its default.
mlir::LogicalResult
resolveToCurrentValues(llvm::ArrayRef<mlir::Operation *> closure);

/// A configuration for one kernel.
struct KernelChoice {
  SearchSpace space;
  Configuration configuration;

  Json values() const { return space.values(configuration); }
};

/// Applies each kernel's choice to the knobs of its closure. Clones ops that
/// several kernels use with different choices, private and named after both;
/// erases private ops that are no longer used.
mlir::LogicalResult applyToKernels(llvm::ArrayRef<mlir::func::FuncOp> kernels,
                                   llvm::ArrayRef<KernelChoice> choices,
                                   KnobMode mode);

} // namespace tonno

#endif // TONNO_TRANSFORMS_APPLYCONFIGURATION_H
