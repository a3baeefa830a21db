//===- How much an allocation takes ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_SCRATCHSIZE_H
#define TONNO_TRANSFORMS_SCHEDULE_SCRATCHSIZE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace tonno {

/// The elements from the first to the last of a buffer of static shape and
/// strides, gaps among them, saturating; none if it has not.
std::optional<uint64_t> spanOf(mlir::MemRefType type);

/// The most elements that a buffer without gaps has, of which `dynamicSizes`
/// are known when it is allocated, such as those of a loop's last tile; none if
/// one of them has no bound that follows from how it is computed.
std::optional<uint64_t> largestSpanOf(mlir::MemRefType type,
                                      mlir::ValueRange dynamicSizes);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_SCRATCHSIZE_H
