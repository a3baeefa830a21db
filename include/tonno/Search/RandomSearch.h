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

/// Proposes points drawn uniformly from those not seen yet, until none is left.
class RandomSearch : public SearchStrategy {
public:
  RandomSearch(const SearchSpace &space, uint64_t seed);

  std::vector<Configuration> propose(size_t n) override;
  void observe(std::span<const Trial> trials) override;

private:
  Configuration draw();

  SearchSpace space;
  std::mt19937_64 generator;
  std::unordered_set<Configuration, ConfigurationHash> seen;
};

} // namespace tonno

#endif // TONNO_SEARCH_RANDOMSEARCH_H
