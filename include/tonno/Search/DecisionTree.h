//===- One tree over bins -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_DECISIONTREE_H
#define TONNO_SEARCH_DECISIONTREE_H

#include "tonno/Search/Rows.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tonno {

/// A binary tree over rows of bins (see Encoding). One implementation serves
/// regression, classification (targets 0 and 1: the mean of a leaf is the
/// probability) and boosting.
class DecisionTree {
public:
  struct Node {
    uint32_t left; ///< child; the right one follows. Of a leaf: itself
    uint16_t column;
    uint8_t threshold; ///< rows with a bin above it go right
    float mean;        ///< of the targets here, weighted
    float variance;    ///< likewise
  };

  /// What is split, and how far.
  struct Options {
    enum class Criterion {
      squaredError, ///< for regression; for targets 0 and 1 that of Gini
      logLoss,      ///< entropy: for targets 0 and 1 only
    };
    Criterion criterion = Criterion::squaredError;
    size_t columns = 0;   ///< drawn for each split, that vary there; 0: all
    size_t leastLeaf = 1; ///< samples in a leaf, whatever their weights
    size_t mostDepth = 64;
    /// The threshold of a column is drawn, not the best (P. Geurts et al.,
    /// "Extremely randomized trees", 2006).
    bool drawsThresholds = false;
  };

  explicit DecisionTree(std::vector<Node> nodes);
  /// A single leaf.
  explicit DecisionTree(float mean)
      : DecisionTree(std::vector<Node>{{0, 0, 255, mean, 0}}) {}

  std::span<const Node> nodes() const { return nodeList; }
  bool isLeaf(uint32_t node) const { return nodeList[node].left == node; }

  /// The leaf of a row, as an index into `nodes`.
  uint32_t leaf(std::span<const uint8_t> row) const;
  /// Those of all rows.
  void leaves(const Rows<uint8_t> &rows, std::span<uint32_t> leaves) const;

  /// The columns that decide where the row goes, from the root on, each once.
  std::vector<uint16_t> path(std::span<const uint8_t> row) const;

private:
  std::vector<Node> nodeList;
};

} // namespace tonno

#endif // TONNO_SEARCH_DECISIONTREE_H
