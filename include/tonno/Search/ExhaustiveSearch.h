//===- ExhaustiveSearch.h - Every point, in order ---------------*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_SEARCH_EXHAUSTIVESEARCH_H
#define TONNO_SEARCH_EXHAUSTIVESEARCH_H

#include "tonno/Search/SearchStrategy.h"

#include <unordered_set>

namespace tonno {

/// Proposes every legal point of the space once, in the order of
/// SearchSpace::at.
class ExhaustiveSearch : public SearchStrategy {
public:
  explicit ExhaustiveSearch(const SearchSpace &space) : points(space) {}

  std::vector<Configuration> propose(size_t n) override;
  void observe(std::span<const Trial> trials) override;

private:
  LegalPoints points;
  std::unordered_set<Configuration, ConfigurationHash> observed;
};

} // namespace tonno

#endif // TONNO_SEARCH_EXHAUSTIVESEARCH_H
