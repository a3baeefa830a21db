//===- The kernels of a model ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_MODELKERNELS_H
#define TONNO_TRANSFORMS_MODELKERNELS_H

#include "tonno/Transforms/DefaultSchedule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace tonno {

/// A kernel that groups of ops of a model form.
struct ModelKernel {
  mlir::func::FuncOp function; ///< public, with its default space
  std::string name;            ///< that the location of its last op states
  /// The ops of each equal group, in the order of the ops of the function.
  llvm::SmallVector<llvm::SmallVector<mlir::Operation *>> groups;
  /// Executions of all groups; those in loops of unknown length count once.
  uint64_t calls = 0;
  int64_t work = 0; ///< of its longest op, in all calls
};

/// The kernels of a model: a function of many ops.
struct ModelKernels {
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< with the kernels' functions
  llvm::SmallVector<ModelKernel> kernels;   ///< none if there is one group
};

/// Copies the groups of ops that the schedule computes together into functions,
/// equal groups into one, and gives each its default space. Ops that take
/// little of a kernel's time have their defaults there, without knobs. Leaves
/// the model unchanged; configurations of its ops are ignored.
ModelKernels formModelKernels(mlir::func::FuncOp model,
                              const DefaultSchedule &schedule);

/// Returns an annotator that gives the ops of a function of several groups the
/// knobs of its kernels, and the function `tonno.kernels`. Others get their
/// default space.
Annotator createModelAnnotator(const DefaultSchedule &schedule);

/// Returns true if the function has the knobs of several kernels.
bool isModel(mlir::func::FuncOp function);

/// Returns the name in the model of a kernel's knob.
std::string getModelKnobName(llvm::StringRef kernel, llvm::StringRef knob);

} // namespace tonno

#endif // TONNO_TRANSFORMS_MODELKERNELS_H
