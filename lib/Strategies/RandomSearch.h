//===- Uniform draws ------------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_STRATEGIES_RANDOMSEARCH_H
#define TONNO_LIB_STRATEGIES_RANDOMSEARCH_H

#include "tonno/Search/CandidatePool.h"
#include "tonno/Search/SearchStrategy.h"

namespace tonno {

/// Proposes points drawn uniformly from the legal points not seen yet, until
/// none is left. If the legal space draws approximately, proposals are
/// approximately uniform, and the search also ends after many draws in vain.
class RandomSearch : public SearchStrategy {
public:
  RandomSearch(std::shared_ptr<const LegalSpace> space, uint64_t seed)
      : fresh(std::move(space)), random(seed) {}

  std::vector<Configuration> propose(size_t n) override;
  void observe(std::span<const Trial> trials) override;

private:
  FreshPoints fresh;
  Random random;
  bool hasEnded = false;
};

} // namespace tonno

#endif // TONNO_LIB_STRATEGIES_RANDOMSEARCH_H
