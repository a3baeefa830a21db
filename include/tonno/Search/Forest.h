//===- Many trees, averaged -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_FOREST_H
#define TONNO_SEARCH_FOREST_H

#include "tonno/Search/DecisionTree.h"

namespace tonno {

/// Trees grown on random subsets of rows and columns, and averaged (L. Breiman,
/// "Random forests", 2001). With targets 0 and 1 the mean is a probability.
class Forest {
public:
  struct Options {
    size_t trees = 100;
    bool bootstrap = true; ///< each tree sees as many rows, drawn with return
    DecisionTree::Options tree;
  };

  struct Prediction {
    float mean;
    float variance; ///< between the trees, and within their leaves on average
  };

  /// A share of the columns, at least one: for Options::tree.columns.
  static size_t shareOf(size_t columns, double share);
  /// Their square root, rounded down.
  static size_t rootOf(size_t columns);

  /// Grown on the rows, a target for each, and a weight, unless all weigh the
  /// same; rows of weight 0 or less have no part. At least one must have.
  Forest(const Rows<uint8_t> &rows, std::span<const double> targets,
         std::span<const double> weights, const Options &options,
         uint64_t seed);
  Forest(const Rows<uint8_t> &rows, std::span<const double> targets,
         const Options &options, uint64_t seed)
      : Forest(rows, targets, {}, options, seed) {}

  std::span<const DecisionTree> trees() const { return treeList; }
  std::vector<Prediction> predict(const Rows<uint8_t> &rows) const;
  /// The leaf of each row in each tree: rows as given, a column for each tree.
  Rows<uint32_t> leaves(const Rows<uint8_t> &rows) const;

private:
  std::vector<DecisionTree> treeList;
};

} // namespace tonno

#endif // TONNO_SEARCH_FOREST_H
