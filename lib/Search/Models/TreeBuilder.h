//===- Grows trees --------------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SEARCH_TREEBUILDER_H
#define TONNO_LIB_SEARCH_TREEBUILDER_H

#include "tonno/Search/DecisionTree.h"

#include <array>

namespace tonno {

/// SplitMix64 (G. L. Steele et al., "Fast splittable pseudorandom number
/// generators", 2014): a tree draws a column for each split it looks at, and
/// spends less on that than on the split.
class SplitMix {
public:
  explicit SplitMix(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t mixed = (state += 0x9E3779B97F4A7C15);
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
  }

  /// In [0, bound), each within 2^-32 of equally likely.
  uint32_t below(uint32_t bound) {
    return static_cast<uint32_t>(((next() >> 32) * bound) >> 32);
  }

  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
  uint64_t state;
};

/// Grows trees over the same rows.
class TreeBuilder {
public:
  /// A row to learn from, of positive weight.
  struct Sample {
    uint32_t row;
    double weight;
    double sum; ///< weight times target
  };

  TreeBuilder(const Rows<uint8_t> &rows, DecisionTree::Options options);

  /// Reorders the samples.
  DecisionTree grow(std::span<Sample> samples, std::span<const double> targets,
                    SplitMix &random);

private:
  using Node = DecisionTree::Node;

  /// What falls into a bin of a column, or on one side of a threshold.
  struct Share {
    double weight = 0, sum = 0;
    uint32_t count = 0;

    Share &operator+=(const Share &other) {
      weight += other.weight;
      sum += other.sum;
      count += other.count;
      return *this;
    }
    Share operator-(const Share &other) const {
      return {weight - other.weight, sum - other.sum, count - other.count};
    }
  };

  /// The best found so far.
  struct Split {
    double score = 0;
    uint16_t column = 0;
    uint8_t threshold = 0;
    bool found = false;
  };

  void growNode(uint32_t node, std::span<Sample> samples, size_t depth);
  Split findSplit(std::span<const Sample> samples, const Share &all);
  bool tryColumn(uint16_t column, std::span<const Sample> samples,
                 const Share &all, Split &best);
  double score(const Share &share) const;

  DecisionTree::Options options;
  size_t rowCount;
  std::vector<uint8_t> byColumn; ///< all rows' bins of a column, then the next
  std::vector<uint16_t> columns; ///< in the order of the last draw

  std::array<Share, 256> histogram; ///< of one column; empty between splits
  std::vector<Node> nodes;
  std::span<const double> targets;
  SplitMix *random = nullptr;
  double leastVariance = 0; ///< below which a node is not worth a split
};

} // namespace tonno

#endif // TONNO_LIB_SEARCH_TREEBUILDER_H
