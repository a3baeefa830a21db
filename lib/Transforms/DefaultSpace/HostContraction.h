//===- The CPU's space of a product ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_DEFAULTSPACE_HOSTCONTRACTION_H
#define TONNO_LIB_TRANSFORMS_DEFAULTSPACE_HOSTCONTRACTION_H

#include "tonno/Transforms/HostTraits.h"
#include "HostFusion.h"
#include "KnobSizes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tonno {

/// The tile sizes of a matrix product, by loop, and whether and in which order
/// inputs are packed; empty where there is nothing to pack.
struct HostContraction {
  llvm::SmallVector<mlir::Attribute> workgroup, reduction, subgroup;
  llvm::SmallVector<mlir::Attribute> pack, interchange;
};

/// How a matrix product is fused with others.
enum class ProductRole {
  Alone,
  Followed, ///< computed by blocks, for what comes after it
  Last,     ///< computed by some rows, with what comes before it
};

/// The space of a matrix product: a tile of the result in registers, of the
/// operands in the caches; after Goto and van de Geijn, "Anatomy of
/// high-performance matrix multiplication".
HostContraction hostContraction(mlir::linalg::LinalgOp op,
                                const ProductLoops &loops, ProductRole role,
                                const HostTraits &host, int64_t elementBytes,
                                KnobSizes &knobs);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_DEFAULTSPACE_HOSTCONTRACTION_H
