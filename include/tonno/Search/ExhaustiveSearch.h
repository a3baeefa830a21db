//===- Every point, in order ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_EXHAUSTIVESEARCH_H
#define TONNO_SEARCH_EXHAUSTIVESEARCH_H

#include "tonno/Search/SearchStrategy.h"

#include <optional>
#include <unordered_set>

namespace tonno {

/// Proposes every legal point of the space once, in the order of
/// SearchSpace::at.
class ExhaustiveSearch : public SearchStrategy {
public:
  explicit ExhaustiveSearch(const LegalSpace &space);

  std::vector<Configuration> propose(size_t n) override;
  void observe(std::span<const Trial> trials) override;

private:
  std::optional<Configuration> next();

  std::optional<LegalPoints> points; ///< unless the space is a list
  std::vector<Configuration> listed; ///< the last one first
  std::unordered_set<Configuration, ConfigurationHash> observed;
};

} // namespace tonno

#endif // TONNO_SEARCH_EXHAUSTIVESEARCH_H
