//===- A forest that proposes ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_STRATEGIES_FORESTSEARCH_H
#define TONNO_LIB_STRATEGIES_FORESTSEARCH_H

#include "tonno/Search/CandidatePool.h"
#include "tonno/Search/SearchStrategy.h"
#include "tonno/Space/Encoding.h"

namespace tonno {

/// Sequential model-based search with a random forest, as SMAC's (F. Hutter et
/// al., "Sequential model-based optimization for general algorithm
/// configuration", 2011): after some random points the one with the largest
/// expected improvement of the time's logarithm, times the probability that it
/// does not fail, out of a pool of neighbours and mutants of the best, and
/// random points. Pending points are not taken into account.
class ForestSearch : public SearchStrategy {
public:
  ForestSearch(std::shared_ptr<const LegalSpace> space, uint64_t seed)
      : encoding(space->space()), fresh(std::move(space)), random(seed) {}

  std::vector<Configuration> propose(size_t n) override;
  void observe(std::span<const Trial> trials) override;

private:
  std::vector<Configuration> rankedPool();

  Encoding encoding;
  FreshPoints fresh;
  Observations observations;
  Random random;
  size_t proposedCount = 0;
};

} // namespace tonno

#endif // TONNO_LIB_STRATEGIES_FORESTSEARCH_H
