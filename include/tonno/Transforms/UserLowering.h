//===- Schedules and pipelines of kernels ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_USERLOWERING_H
#define TONNO_TRANSFORMS_USERLOWERING_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Pass/PassManager.h"

#include <string>

namespace tonno {

/// Returns the sequence named by the kernel's `tonno.schedule`, null without
/// one. Fails, with an error at the kernel, if the name is no sequence.
mlir::FailureOr<mlir::transform::NamedSequenceOp>
findSchedule(mlir::func::FuncOp kernel);

/// Returns the `@__transform_main` in the kernel's module, or in a module
/// nested in it, if it applies to the kernel without being named: there is one,
/// no function names a schedule, and the kernel has no pipeline and is the only
/// public function that no other function references.
mlir::transform::NamedSequenceOp findLoneSchedule(mlir::func::FuncOp kernel);

/// Fails if a function names a schedule that is not there, or if it is unclear
/// whose the module's only `@__transform_main` with choices is.
mlir::LogicalResult verifySchedules(mlir::ModuleOp module);

/// Returns the named schedule or the lone one; null if there is neither.
mlir::transform::NamedSequenceOp getSchedule(mlir::func::FuncOp kernel);

/// Erases the sequences, and the modules that hold nothing else.
void eraseSchedules(mlir::ModuleOp module);

/// Returns the kernel's `tonno.pipeline` with each `@NAME@` replaced by the
/// value under that name in its `knobs`, lists separated by commas. Fails for a
/// name that is not there or is not used.
mlir::FailureOr<std::string> pipelineText(mlir::func::FuncOp kernel);

/// Parses the pipeline, of `builtin.module`, `func.func` or nothing.
mlir::FailureOr<mlir::OpPassManager>
parseKernelPipeline(mlir::func::FuncOp kernel);

} // namespace tonno

#endif // TONNO_TRANSFORMS_USERLOWERING_H
