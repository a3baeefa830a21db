//===- Arguments and results as buffers -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_BUFFERIZATION_KERNELBUFFERS_H
#define TONNO_TRANSFORMS_SCHEDULE_BUFFERIZATION_KERNELBUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <optional>

namespace tonno {

/// A buffer that a kernel's caller brings.
struct KernelBuffer {
  mlir::MemRefType type;   ///< of static shape and strides, at offset 0
  uint64_t alignment;      ///< in bytes, of the first element
  bool isStreamed = false; ///< writes are non-temporal stores
  bool isLoaded = false;   ///< filled by the launch at load
  bool isConstant = false; ///< of the same contents in each call
  /// The bytes of a workspace that depend on the kernel's sizes, which are its
  /// symbols; null for others. `type` has one element then.
  mlir::AffineMap bytes = {};
};

/// Returns the alignment in bytes that callers of the kernel guarantee for an
/// argument: `tonno.alignment` if given, else the default for its type.
uint64_t getArgumentAlignment(mlir::func::FuncOp kernel, unsigned argument);

/// Returns the buffer of each argument as `tonno-kernel-buffers` recorded it in
/// `tonno.buffers`; nothing on other functions.
std::optional<llvm::SmallVector<KernelBuffer>>
getKernelBuffers(mlir::Operation *function);

void setKernelBuffers(mlir::Operation *function,
                      llvm::ArrayRef<KernelBuffer> buffers);

/// Returns the argument that is constant and that the tensor has the contents
/// of; null for other tensors.
mlir::BlockArgument findConstantArgument(mlir::Value tensor);

/// States what launch plans promise of the pointer to a buffer: its alignment,
/// and that no other argument points there, unless `isNoAlias` is false.
void setBufferArgumentAttrs(mlir::FunctionOpInterface function,
                            unsigned argument, const KernelBuffer &buffer,
                            bool isNoAlias = true);

/// Checks for static shape, strides that are not negative, and offset 0.
mlir::LogicalResult
verifyBufferType(mlir::MemRefType type,
                 llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_BUFFERIZATION_KERNELBUFFERS_H
