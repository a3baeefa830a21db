//===- The inputs of a model's kernels ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_KERNELINPUTS_H
#define TONNO_TRANSFORMS_KERNELINPUTS_H

#include "tonno/Transforms/ModelKernels.h"

namespace tonno {

/// A function with a model's arguments that returns the inputs of kernels.
struct KernelInputs {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function; ///< of the model's name
  /// For each kernel, the numbers of the results that are its arguments; none
  /// if its inputs cannot be returned.
  llvm::SmallVector<llvm::SmallVector<unsigned>> results;
};

/// Copies the model up to the last group of each of the kernels, which are the
/// model's, and returns what that group reads; in a loop, what it reads in the
/// last iteration. Inputs that are no tensors, and those of groups in other
/// regions than `scf.for`, cannot be returned. The function has the default
/// space of the schedule.
KernelInputs returnKernelInputs(mlir::func::FuncOp model,
                                llvm::ArrayRef<const ModelKernel *> kernels,
                                const DefaultSchedule &schedule);

} // namespace tonno

#endif // TONNO_TRANSFORMS_KERNELINPUTS_H
