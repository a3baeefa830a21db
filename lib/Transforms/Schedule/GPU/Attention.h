//===- Attention as one launch --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_ATTENTION_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_ATTENTION_H

#include "tonno/Core/Result.h"
#include "Schedule/GPU/LaunchGroups.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace tonno {

/// A value in the payload of a group's op.
struct PayloadValue {
  size_t op = 0;
  mlir::Value value;

  bool operator==(const PayloadValue &) const = default;
};

/// A softmax whose rows can be computed part by part:
///
///     m = max(term)
///     p = exp(factor * (exponent - m)); l = sum(p)
///     result = p / scale(m, l), or p * scale(m, l)
///
/// When m grows, earlier sums are multiplied by
/// exp(factor * (m before - m after)) (Milakov and Gimelshein, "Online
/// normalizer calculation for softmax", 2018).
struct OnlineSoftmax {
  size_t maximum = 0, sum = 0;      ///< the reductions
  mlir::Operation *power = nullptr; ///< the exponential in a payload
  /// The score as `maximum` combines it, and in the type of the difference.
  PayloadValue term, exponent;
  /// Positive. If it is not 1, `term` and `exponent` are what the payload
  /// multiplies by it, and m is the payload's divided by it.
  double factor = 1;
  std::optional<PayloadValue> scale; ///< one value for each row
  bool divides = false;              ///< by the scale
  /// Keys before query + firstKey, and behind query + lastKey, have no share.
  std::optional<int64_t> firstKey, lastKey;
};

/// Attention: a product of queries and keys, whose softmax along the keys is a
/// factor of a product with values.
struct Attention {
  /// The first product, elementwise ops on it, and the softmax, in the space of
  /// the first product.
  LaunchGroup scores;
  /// The second product with its epilogue.
  LaunchGroup product;
  unsigned queries = 0, keys = 0, depth = 0;  ///< of the scores' space
  unsigned rows = 0, columns = 0, summed = 0; ///< of the product's
  /// The dimension of the scores' space for each one of the product's; none for
  /// `columns`.
  llvm::SmallVector<std::optional<unsigned>> scoresDims;
  mlir::OpOperand *query = nullptr, *key = nullptr, *value = nullptr;
  std::optional<OnlineSoftmax> softmax; ///< none: it is not decomposed yet

  /// Returns the ops, in order.
  llvm::SmallVector<mlir::Operation *> getOps() const;
};

/// Returns the attention that three consecutive groups are, or why they are
/// none.
Result<Attention> findAttention(const LaunchGroup &scores,
                                const LaunchGroup &rows,
                                const LaunchGroup &product);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_ATTENTION_H
