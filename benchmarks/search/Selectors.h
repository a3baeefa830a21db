//===- Selectors of candidates --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BENCHMARKS_SEARCH_SELECTORS_H
#define TONNO_BENCHMARKS_SEARCH_SELECTORS_H

#include "Models/Surrogate.h"

#include <string>

namespace tonno {

/// A generation of a search whose candidates are to be ranked.
struct RankingTask {
  const Encoding &encoding;
  TrainingSet known; ///< all that was tried before
  /// Successful part of the set; its qualities are negated times.
  TrainingSet succeeded;
  EncodedPoints candidates;
};

struct Selector {
  std::string name;
  /// Returns the indices of all candidates, in the order in which they would be
  /// tried.
  std::vector<size_t> (*rank)(const RankingTask &task, Random &random);
};

/// Returns the selectors of the LFBO work's ablation: classifiers; regressions
/// of times, which failures lack, and of qualities, which failures have; and
/// the ensemble's models, with their sum of ranks.
std::span<const Selector> selectors();

} // namespace tonno

#endif // TONNO_BENCHMARKS_SEARCH_SELECTORS_H
