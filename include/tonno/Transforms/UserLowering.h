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

/// The sequence that the kernel's `tonno.schedule` names, null if it has none.
/// A name that is no sequence is an error at the kernel.
mlir::FailureOr<mlir::transform::NamedSequenceOp>
findSchedule(mlir::func::FuncOp kernel);

/// The `@__transform_main` of the kernel's module, in it or in a module nested
/// in it, if it is the kernel's without being named: there is one, no function
/// names a schedule, and the kernel has no pipeline and is the only public
/// function that no other function references.
mlir::transform::NamedSequenceOp findLoneSchedule(mlir::func::FuncOp kernel);

/// Fails if a function names a schedule that is not there, or if it is unclear
/// whose the module's only `@__transform_main` with choices is.
mlir::LogicalResult verifySchedules(mlir::ModuleOp module);

/// The one or the other, null if there is neither.
mlir::transform::NamedSequenceOp scheduleOf(mlir::func::FuncOp kernel);

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
