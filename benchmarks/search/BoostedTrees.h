//===- Boosted trees ------------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BENCHMARKS_SEARCH_BOOSTEDTREES_H
#define TONNO_BENCHMARKS_SEARCH_BOOSTEDTREES_H

#include "tonno/Search/Forest.h"
#include "Models/Surrogate.h"

namespace tonno {

/// Small trees, each fitted to what the ones before leave unexplained (J. H.
/// Friedman, "Stochastic gradient boosting", 2002), for squared error.
class BoostedTrees {
public:
  struct Options {
    size_t trees = 60;
    double rate = 0.15; ///< learning rate
    double share = 0.8; ///< of the rows, that a tree sees
    size_t leastLeaf = 2;
    size_t mostDepth = 5;
  };

  /// Takes the same arguments as Forest.
  BoostedTrees(const Rows<uint8_t> &rows, std::span<const double> targets,
               std::span<const double> weights, const Options &options,
               uint64_t seed);
  BoostedTrees(const Rows<uint8_t> &rows, std::span<const double> targets,
               const Options &options, uint64_t seed)
      : BoostedTrees(rows, targets, {}, options, seed) {}

  std::vector<float> predict(const Rows<uint8_t> &rows) const;

private:
  double base = 0; ///< the mean of all targets
  double rate;
  std::vector<Forest> trees; ///< each of one tree
};

/// Boosted trees: the expected quality.
SurrogateFactory createBoostedSurrogate;

} // namespace tonno

#endif // TONNO_BENCHMARKS_SEARCH_BOOSTEDTREES_H
