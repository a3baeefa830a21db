//===- The loops of linalg ops on a CPU -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_DEFAULTSPACE_HOSTLOOPS_H
#define TONNO_LIB_TRANSFORMS_DEFAULTSPACE_HOSTLOOPS_H

#include "tonno/Transforms/HostTraits.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace tonno {

// What the host's default space sees in a linalg op.

/// Returns the largest result tile, in elements, that stays in registers
/// beside the operands.
int64_t mostAccumulators(const HostTraits &host, int64_t elementBytes);

/// Bytes of the widest element that it reads or writes.
int64_t elementBytes(mlir::linalg::LinalgOp op);

/// The loop that walks along the rows of the largest input.
std::optional<unsigned> mainRowLoop(mlir::linalg::LinalgOp op);

/// The loop along the rows of an operand that loop `n`, not its last, steps
/// from row to row: of a transposition.
std::optional<unsigned> crossingLoop(mlir::linalg::LinalgOp op, unsigned n);

/// Whether the op reads elements from places that it computes.
bool gathers(mlir::linalg::LinalgOp op);

/// Bytes of what the op writes into a buffer of the kernel's caller; 0 where it
/// is for another op.
int64_t bytesOfKernelResult(mlir::linalg::LinalgOp op);

/// Whether the op reads slices of one tensor, or views of one buffer, that
/// begin in different places, as a stencil does.
bool readsNeighbours(mlir::linalg::LinalgOp op);

/// Whether tiles of the op become vectors. What branches or sums up what it
/// gathers doesn't, and plain loops suit LLVM better than tiled ones.
bool isVectorisable(mlir::linalg::LinalgOp op);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_DEFAULTSPACE_HOSTLOOPS_H
