//===- Uniform draws ------------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_STRATEGIES_RANDOMSEARCH_H
#define TONNO_LIB_STRATEGIES_RANDOMSEARCH_H

#include "tonno/Search/CandidatePool.h"
#include "tonno/Search/SearchStrategy.h"

namespace tonno {

/// Proposes points drawn uniformly from the legal ones not seen yet, until none
/// is left. Where they are drawn approximately, so are these, and it also ends
/// when it has drawn many in vain.
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
