//===- Elementwise ops in others ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_FUSEELEMENTWISE_H
#define TONNO_TRANSFORMS_SCHEDULE_FUSEELEMENTWISE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tonno {

/// Whether the host's schedule makes an op a part of the one op that uses it:
/// an elementwise op without a configuration of its own, of which another of
/// the same block reads each element once, at the same place.
bool isPartOfUser(mlir::linalg::LinalgOp op);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_FUSEELEMENTWISE_H
