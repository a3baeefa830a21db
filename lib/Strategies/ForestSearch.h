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
  struct Options {
    size_t initial = 20;
    size_t trees = 30;
    double columns = 0.7; ///< share looked at for each split
    size_t feasibilityTrees = 20;
    double randomShare = 0.1;  ///< of the proposals
    size_t elites = 8;         ///< the best, that are varied
    size_t mutants = 40;       ///< of each, in one to three knobs
    size_t randomPoints = 300; ///< in the pool
  };

  ForestSearch(std::shared_ptr<const LegalSpace> space, uint64_t seed,
               Options options);
  ForestSearch(std::shared_ptr<const LegalSpace> space, uint64_t seed)
      : ForestSearch(std::move(space), seed, Options()) {}

  std::vector<Configuration> propose(size_t n) override;
  void observe(std::span<const Trial> trials) override;

private:
  std::vector<Configuration> rankedPool();

  Encoding encoding;
  FreshPoints fresh;
  Observations observations;
  Random random;
  Options options;
  CandidatePool::Options poolOptions;
  size_t proposedCount = 0;
};

} // namespace tonno

#endif // TONNO_LIB_STRATEGIES_FORESTSEARCH_H
