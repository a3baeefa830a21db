//===- Good points from others --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_LFBOCLASSIFIER_H
#define TONNO_SEARCH_LFBOCLASSIFIER_H

#include "tonno/Search/Forest.h"

#include <optional>

namespace tonno {

/// A forest that tells good points from others: likelihood-free Bayesian
/// optimisation (J. Song et al., "A general recipe for likelihood-free Bayesian
/// optimization", 2022), as Helion has it.
///
/// Good is a ratio at or under a quantile of all ratios; failures are not. A
/// good point weighs as much as it is under the quantile, so that its
/// probability stands for expected improvement; 1 on average, as others do. The
/// least weight is that of 1e-5 of the quantile under it, where Helion has
/// 1e-5 ms: ratios have any unit.
struct LfboClassifier {
  double quantile = 0.1;
  size_t trees = 100;

  /// None: all points are good, or none is.
  std::optional<Forest> fit(const Rows<uint8_t> &rows,
                            std::span<const std::optional<double>> ratios,
                            uint64_t seed) const;
};

} // namespace tonno

#endif // TONNO_SEARCH_LFBOCLASSIFIER_H
