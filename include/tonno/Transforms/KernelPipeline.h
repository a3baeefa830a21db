//===- The pass pipeline of a kernel --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_KERNELPIPELINE_H
#define TONNO_TRANSFORMS_KERNELPIPELINE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

#include <string>

namespace tonno {

/// The text of the kernel's `tonno.pipeline`, each `@NAME@` replaced by the
/// value under that name in its `knobs`: numbers and strings as they are, lists
/// separated by commas. A knob stands for the value that it has. A name that
/// is not there, or that the text does not use, is an error at the kernel.
mlir::FailureOr<std::string> pipelineText(mlir::func::FuncOp kernel);

/// The parsed pipeline. What the text is anchored on must be `builtin.module`,
/// `func.func` or nothing.
mlir::FailureOr<mlir::OpPassManager>
parseKernelPipeline(mlir::func::FuncOp kernel);

} // namespace tonno

#endif // TONNO_TRANSFORMS_KERNELPIPELINE_H
