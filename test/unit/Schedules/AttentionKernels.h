//===- Attention to verify ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_ATTENTIONKERNELS_H
#define TONNO_ATTENTIONKERNELS_H

#include <ostream>
#include <string>

namespace tonno {

/// A kernel `@f` with a product of queries and keys, the softmax along the
/// keys, and a product with values.
struct AttentionKernel {
  enum class Softmax {
    op,      ///< linalg.softmax in f32
    narrow,  ///< linalg.softmax of 16 bits
    generics ///< the parts that a framework emits, each as a linalg.generic
  };
  enum class Mask {
    none,
    bias,        ///< an argument is added
    later,       ///< keys before the query have -inf
    laterLowest, ///< the same with the lowest f32
    causal,      ///< keys behind the query have the lowest f32
    band         ///< keys far from the query have -inf
  };

  std::string name;
  int64_t heads = 2, groups = 1, queries = 40, keys = 52, depth = 32,
          columns = 24;
  std::string type = "f16", scale = "0.3"; ///< of the scores
  Softmax softmax = Softmax::op;
  Mask mask = Mask::none;
  bool hasKeysFirst = false;        ///< the keys' depth is not contiguous
  bool isProductTransposed = false; ///< the result has columns before queries
  bool isFinite = false;            ///< values are, as flags say
  bool replacesNaN = false;         ///< behind the second product
  bool isDynamic = false;           ///< in queries and keys

  /// Returns the kernel's text; `config` is what the braces of the second
  /// product's configuration hold.
  std::string write(const std::string &config) const;
};

inline std::ostream &operator<<(std::ostream &stream,
                                const AttentionKernel &kernel) {
  return stream << kernel.name;
}

} // namespace tonno

#endif // TONNO_ATTENTIONKERNELS_H
