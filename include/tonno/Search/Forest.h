//===- Decision trees and forests -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_FOREST_H
#define TONNO_SEARCH_FOREST_H

#include "tonno/Space/Encoding.h"

#include <cstdint>
#include <optional>
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

  /// Criterion and limits of the splits.
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
  /// Creates a tree with a single leaf.
  explicit DecisionTree(float mean)
      : DecisionTree(std::vector<Node>{{0, 0, 255, mean, 0}}) {}

  std::span<const Node> nodes() const { return nodeList; }
  bool isLeaf(uint32_t node) const { return nodeList[node].left == node; }

  /// Returns the leaf of a row, as an index into `nodes`.
  uint32_t leaf(std::span<const uint8_t> row) const;
  /// Writes the leaf of each row to `leaves`.
  void leaves(const Rows<uint8_t> &rows, std::span<uint32_t> leaves) const;

  /// Returns the columns that are tested on the row's path, from the root on,
  /// each once.
  std::vector<uint16_t> path(std::span<const uint8_t> row) const;

private:
  std::vector<Node> nodeList;
};

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

  /// Returns a share of the columns, at least one, for Options::tree.columns.
  static size_t computeColumnShare(size_t columns, double share);
  /// Returns the square root of the number of columns, rounded down.
  static size_t computeSqrtColumns(size_t columns);

  /// Fits a forest to the rows, with a target and a weight for each; rows of
  /// weight 0 or less are ignored, but not all may be. Without weights, all
  /// rows weigh the same.
  Forest(const Rows<uint8_t> &rows, std::span<const double> targets,
         std::span<const double> weights, const Options &options,
         uint64_t seed);
  Forest(const Rows<uint8_t> &rows, std::span<const double> targets,
         const Options &options, uint64_t seed)
      : Forest(rows, targets, {}, options, seed) {}

  std::span<const DecisionTree> trees() const { return treeList; }
  std::vector<Prediction> predict(const Rows<uint8_t> &rows) const;
  /// Returns the leaf of each row in each tree: a row for each row, a column
  /// for each tree.
  Rows<uint32_t> leaves(const Rows<uint8_t> &rows) const;

private:
  std::vector<DecisionTree> treeList;
};

/// A forest that classifies points as good or not: likelihood-free Bayesian
/// optimisation (J. Song et al., "A general recipe for likelihood-free Bayesian
/// optimization", 2022), as in Helion.
///
/// Good points have a ratio at or below a quantile of all ratios; failures are
/// not good. A good point is weighted by its distance below the quantile, so
/// that its probability represents expected improvement; weights of good points
/// have mean 1, the weight of the others. The least weight corresponds to 1e-5
/// of the quantile, where Helion has 1e-5 ms: ratios have any unit.
struct LfboClassifier {
  double quantile = 0.1;
  size_t trees = 100;

  /// Fits the forest; none if all points are good, or none is.
  std::optional<Forest> fit(const Rows<uint8_t> &rows,
                            std::span<const std::optional<double>> ratios,
                            uint64_t seed) const;
};

/// Selects `count` rows, or all, best first: each the one with the highest mean
/// in the forest, less `penalty` times its mean similarity to those selected
/// before. Similarity is the share of trees that have two rows in one leaf.
/// Follows Helion (github.com/pytorch/helion, ef091f4).
std::vector<size_t> selectDiverse(const Forest &forest,
                                  const Rows<uint8_t> &rows, size_t count,
                                  double penalty);

/// Returns the expected improvement over `best` of a normal value with this
/// mean and standard deviation, where less counts as nothing (D. R. Jones et
/// al., "Efficient global optimization of expensive black-box functions",
/// 1998). Precondition: deviation > 0.
double expectedImprovement(double mean, double deviation, double best);

} // namespace tonno

#endif // TONNO_SEARCH_FOREST_H
