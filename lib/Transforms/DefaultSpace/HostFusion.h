//===- What a CPU best computes together ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_DEFAULTSPACE_HOSTFUSION_H
#define TONNO_LIB_TRANSFORMS_DEFAULTSPACE_HOSTFUSION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include "llvm/ADT/MapVector.h"

#include <optional>

namespace tonno {

/// Ops that are computed tile by tile together.
struct FusedOps {
  llvm::SmallVector<bool> loops;  ///< of the root, that are tiled
  mlir::linalg::LinalgOp product; ///< whose blocks are the tiles; or none
  bool hasProducts = true;        ///< which are best of several rows
};

/// By their roots, the ops of a function that are best computed together on a
/// CPU: what follows a matrix product by blocks of its result, all else by some
/// rows at a time.
using Fusions = llvm::MapVector<mlir::Operation *, FusedOps>;
Fusions findFusions(llvm::ArrayRef<mlir::linalg::LinalgOp> ops);

/// The last loops over rows and columns of the result and over what is summed
/// up of a matrix product; nothing for other ops.
struct ProductLoops {
  unsigned m, n, k;
};
std::optional<ProductLoops> productLoops(mlir::linalg::LinalgOp op);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_DEFAULTSPACE_HOSTFUSION_H
