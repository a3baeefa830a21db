//===- Features of a kernel -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_DESCRIBEKERNEL_H
#define TONNO_TRANSFORMS_DESCRIBEKERNEL_H

#include "tonno/Core/KernelFeatures.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// Describes the ops of the kernel that have a lowering configuration.
KernelFeatures describeKernel(mlir::func::FuncOp kernel);

} // namespace tonno

#endif // TONNO_TRANSFORMS_DESCRIBEKERNEL_H
