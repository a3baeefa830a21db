//===- Neighbours that trees ask for --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_LFBOTREESEARCH_H
#define TONNO_SEARCH_LFBOTREESEARCH_H

#include "tonno/Search/LfboPatternSearch.h"

namespace tonno {

/// Helion's LFBOTreeSearch (github.com/pytorch/helion, ef091f4), as published:
/// LfboPatternSearch, but from the second generation on each neighbour is made
/// by a random tree of the classifier. Of the knobs that decide about the
/// current point there, a random block size and warps, one after another gets
/// the option within the radius that this tree finds best.
class LfboTreeSearch : public LfboPatternSearch {
public:
  /// LfboPatternSearch's, but 200 neighbours.
  static Options published() {
    Options options;
    options.neighbours = 200;
    return options;
  }
  static Options quick() {
    Options options = LfboPatternSearch::Options::quick();
    options.neighbours = 200;
    return options;
  }

  using LfboPatternSearch::LfboPatternSearch;
  LfboTreeSearch(std::shared_ptr<const LegalSpace> space, uint64_t seed)
      : LfboPatternSearch(std::move(space), seed, published()) {}

private:
  std::vector<Configuration> draw(const Configuration &point) final;
  void climb(const DecisionTree &tree, Configuration &point);
};

} // namespace tonno

#endif // TONNO_SEARCH_LFBOTREESEARCH_H
