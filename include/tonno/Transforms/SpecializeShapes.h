//===- Kernels for given sizes --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SPECIALIZESHAPES_H
#define TONNO_TRANSFORMS_SPECIALIZESHAPES_H

#include "tonno/Space/SearchSpace.h"
#include "mlir/IR/BuiltinOps.h"

namespace tonno {

/// Gives the dynamic dimensions of public functions with a body, or of one of
/// them, the given sizes, and makes their types static; functions that they
/// call or name as reference follow. Dynamic strides and offsets become those
/// of a dense buffer. Fails if a dimension has no size, a size is of no
/// dimension, or the result's size does not follow from the arguments'.
mlir::LogicalResult specializeShapes(mlir::ModuleOp module,
                                     llvm::StringRef kernel,
                                     llvm::ArrayRef<Dimension> sizes);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SPECIALIZESHAPES_H
