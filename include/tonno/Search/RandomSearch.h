//===- RandomSearch.h - Points drawn uniformly ------------------*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_SEARCH_RANDOMSEARCH_H
#define TONNO_SEARCH_RANDOMSEARCH_H

#include "tonno/Search/SearchStrategy.h"

#include <random>
#include <unordered_set>

namespace tonno {

/// Proposes points drawn uniformly from the legal ones not seen yet, until none
/// is left: by rejecting others; where these are too many, from a list.
///
/// Where the legal points are hard to enumerate, too, it gives up, and proposes
/// nothing more, once it has drawn in vain for some seconds.
class RandomSearch : public SearchStrategy {
public:
  struct Limits {
    size_t drawsBeforeList = 100000; ///< in vain, before enumerating the rest
    uint64_t mostSteps = 1 << 26;    ///< of the enumeration: a second or two
    size_t mostListed = 1 << 16;     ///< of what it finds: a uniform sample
    size_t mostDraws = 20000000;     ///< in vain, before giving up
  };

  RandomSearch(const SearchSpace &space, uint64_t seed, Limits limits);
  RandomSearch(const SearchSpace &space, uint64_t seed)
      : RandomSearch(space, seed, Limits()) {}

  std::vector<Configuration> propose(size_t n) override;
  void observe(std::span<const Trial> trials) override;

private:
  std::optional<Configuration> nextPoint();
  std::optional<Configuration> drawUntilLegal(size_t mostDraws);
  std::optional<Configuration> takeListed();
  bool list();

  SearchSpace space;
  std::mt19937_64 generator;
  Limits limits;
  std::unordered_set<Configuration, ConfigurationHash> seen;

  /// In random order; a uniform sample of the legal points not seen, or all.
  std::vector<Configuration> listed;
  bool triesList = true; ///< since enumerating succeeds, as far as known
  bool hasEnded = false;
};

} // namespace tonno

#endif // TONNO_SEARCH_RANDOMSEARCH_H
