//===- The parts that the pipelines of all targets share ------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_COMMONPIPELINE_H
#define TONNO_LIB_BACKEND_COMMONPIPELINE_H

#include "llvm/ADT/StringRef.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tonno {

/// Canonicalises, and computes nothing twice.
void addCleanUp(mlir::OpPassManager &pm);

/// The kernel becomes one function on the caller's buffers, whatever its level;
/// what ends in a result is computed in the result's buffer. An empty name
/// stands for every public function. `fusesRounding` is `tonno-widen-sums`'.
void addFront(mlir::OpPassManager &pm, llvm::StringRef kernel,
              bool fusesRounding = false);

/// The kernel's own schedule or pipeline, if it has one.
void addOwnLowering(mlir::OpPassManager &pm);

/// Tensors become buffers; allocations stand where they are used again and
/// again.
void addBufferize(mlir::OpPassManager &pm);

/// Checks that the schedule or the pipeline named by the kernel exists; fails
/// with the reason. Errors in the lowering are reported when it runs.
mlir::LogicalResult checkOwnLowering(mlir::func::FuncOp kernel);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_COMMONPIPELINE_H
