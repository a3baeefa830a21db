//===- ApplyConfiguration.h - Give knobs their values -----------*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_TRANSFORMS_APPLYCONFIGURATION_H
#define TONNO_TRANSFORMS_APPLYCONFIGURATION_H

#include "tonno/Core/Configuration.h"
#include "tonno/Core/SearchSpace.h"
#include "tonno/Dialect/TonnoAttrs.h"

#include "mlir/IR/Operation.h"

namespace tonno {

/// What becomes of a knob that gets a value.
enum class KnobMode {
  Resolve, ///< the value as a plain attribute takes its place
  Select,  ///< it stays, with the value as its selected option
};

/// Gives every knob in `root` the option that `choose` returns for it, and
/// verifies `root`.
mlir::LogicalResult
replaceKnobs(mlir::Operation *root, KnobMode mode,
             llvm::function_ref<mlir::Attribute(KnobAttr)> choose);

/// Gives every knob in `root` its value in `configuration`, a point of `space`,
/// and verifies `root`. A knob that is not as in `space` is an error, with
/// `root` unchanged.
mlir::LogicalResult applyConfiguration(mlir::Operation *root,
                                       const SearchSpace &space,
                                       const Configuration &configuration,
                                       KnobMode mode);

} // namespace tonno

#endif // TONNO_TRANSFORMS_APPLYCONFIGURATION_H
