//===- Likely good and unlike each other ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_DIVERSESELECTION_H
#define TONNO_SEARCH_DIVERSESELECTION_H

#include "tonno/Search/Forest.h"

namespace tonno {

/// The places of `count` rows, or of all, best first: each the one with the
/// highest mean in the forest, less `penalty` times its mean similarity to
/// those before. Similarity is the share of trees that have two rows in one
/// leaf. So Helion selects (github.com/pytorch/helion, ef091f4).
std::vector<size_t> selectDiverse(const Forest &forest,
                                  const Rows<uint8_t> &rows, size_t count,
                                  double penalty);

} // namespace tonno

#endif // TONNO_SEARCH_DIVERSESELECTION_H
