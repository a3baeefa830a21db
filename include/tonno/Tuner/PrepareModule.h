//===- Prepares modules for tuning ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TUNER_PREPAREMODULE_H
#define TONNO_TUNER_PREPAREMODULE_H

#include "tonno/Tuner/TuneModule.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <string>

namespace tonno {

/// Gives dynamic dimensions the sizes of the options, or of `tonno.shapes`,
/// writes ranges and the kernel options into the module, and adds a default
/// space to functions to tune that have no knobs: the named function, or if no
/// function has knobs, every public one that tonno's own schedule lowers.
/// Warns, with the reason, of public functions that are not tuned, if others
/// are. Must precede `tuneModule`.
mlir::LogicalResult prepareModule(mlir::ModuleOp module,
                                  const TunerOptions &options);

/// Returns true if a function of dynamic dimensions states the shapes that it
/// is tuned for, as `prepareModule` writes those of the options, too.
bool isForRange(mlir::func::FuncOp function);

/// Why something isn't so, and where.
struct LocatedReason {
  mlir::Location location;
  std::string text;
};

/// Returns why the function cannot be called with generated data and its
/// results compared; none if it can.
std::optional<LocatedReason> whyNotMeasurable(mlir::func::FuncOp function);

llvm::SmallVector<mlir::func::FuncOp>
findMeasurable(llvm::ArrayRef<mlir::func::FuncOp> functions);

/// The treatment of functions without knobs and without default space.
enum class Unmarked {
  refuse,  ///< there is nothing to tune
  include, ///< the one candidate they have is looked at
};

/// Returns the measurable kernels of a module, or only the named one. Fails,
/// with the reason and the available names, if there is none. Includes unmarked
/// functions if one is named or there is no other kernel. If unmarked functions
/// are refused, only checks for knobs: returns kernels that cannot be measured
/// if there is no other.
mlir::FailureOr<llvm::SmallVector<mlir::func::FuncOp>>
chooseKernels(mlir::ModuleOp module, llvm::StringRef name,
              Unmarked unmarked = Unmarked::refuse);

} // namespace tonno

#endif // TONNO_TUNER_PREPAREMODULE_H
