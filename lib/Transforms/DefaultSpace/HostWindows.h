//===- The CPU's space of convolutions ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_DEFAULTSPACE_HOSTWINDOWS_H
#define TONNO_LIB_TRANSFORMS_DEFAULTSPACE_HOSTWINDOWS_H

#include "tonno/Transforms/HostTraits.h"
#include "KnobSizes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tonno {

/// The tile sizes of an op that reads through windows, by loop.
struct HostWindows {
  llvm::SmallVector<mlir::Attribute> workgroup, subgroup;
};

/// The space of convolutions, poolings and filters: a tile of the result in
/// registers, to which each step within the windows adds what a plain op would.
HostWindows hostWindows(mlir::linalg::LinalgOp op, const HostTraits &host,
                        int64_t elementBytes, KnobSizes &knobs);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_DEFAULTSPACE_HOSTWINDOWS_H
