//===- Which operands are positions ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_INDEXPOSITIONS_H
#define TONNO_LIB_BACKEND_INDEXPOSITIONS_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace tonno {

/// What an index may be.
struct IndexedExtent {
  /// It must be less than this; none if that is not known.
  std::optional<int64_t> extent;
  /// Whether the op makes another number of it first.
  bool isComputed = false;
};

/// What an operand indexes, if it is a position in a tensor or buffer, or an
/// offset of a part of one.
std::optional<IndexedExtent> indexedExtent(mlir::OpOperand &use);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_INDEXPOSITIONS_H
