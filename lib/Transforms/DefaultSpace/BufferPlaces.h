//===- Which tensors will share a buffer ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_DEFAULTSPACE_BUFFERPLACES_H
#define TONNO_LIB_TRANSFORMS_DEFAULTSPACE_BUFFERPLACES_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace tonno {

/// A place in memory: a buffer that there will be.
using Place = unsigned;

/// Guesses which tensors will share a buffer when all are buffers: a result
/// takes its destination's, unless somebody still needs what is there.
class BufferPlaces {
public:
  /// Of a tensor or buffer, and the view through which it is seen; null if it
  /// is seen as a whole.
  std::pair<Place, mlir::Value> of(mlir::Value value);
  /// Of what the op will write over `init`; none where that must not be
  /// overwritten. `isReadCrosswise`: the op reads there what other points of it
  /// write.
  std::optional<Place> ofResult(mlir::Operation *op, mlir::Value init,
                                bool isReadCrosswise);
  void set(mlir::Value result, Place place);
  Place fresh() { return next++; }

  /// What the value is a part of, or another shape of; null if it is a whole.
  static mlir::Value viewed(mlir::Value value);

private:
  llvm::DenseMap<mlir::Value, Place> places;
  llvm::DenseMap<Place, llvm::SmallVector<mlir::Value>> contents;
  Place next = 0;
};

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_DEFAULTSPACE_BUFFERPLACES_H
