//===- RandomSearch.h - Points drawn uniformly ---------------- -*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_SEARCH_RANDOMSEARCH_H
#define TONNO_SEARCH_RANDOMSEARCH_H

#include "tonno/Search/SearchStrategy.h"

#include <unordered_set>

namespace tonno {

/// Proposes points drawn uniformly from the legal ones not seen yet, until none
/// is left. Where they are drawn approximately, so are these, and it also ends
/// when it has drawn many in vain.
class RandomSearch : public SearchStrategy {
public:
  RandomSearch(std::shared_ptr<const LegalSpace> space, uint64_t seed)
      : sampler(std::move(space)), random(seed) {}

  std::vector<Configuration> propose(size_t n) override;
  void observe(std::span<const Trial> trials) override;

private:
  std::optional<Configuration> nextPoint();
  std::optional<Configuration> drawUnseen(size_t mostDraws);
  std::optional<Configuration> takeListed();
  bool list();

  LegalSampler sampler;
  Random random;
  std::unordered_set<Configuration, ConfigurationHash> seen;

  std::vector<Configuration> listed; ///< all not seen, in random order
  bool triesList = true;             ///< since that succeeds, as far as known
  bool hasEnded = false;
};

} // namespace tonno

#endif // TONNO_SEARCH_RANDOMSEARCH_H
