//===- Decision trees and forests -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/Forest.h"
#include "tonno/Core/Statistics.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

using namespace tonno;

namespace {

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

  /// Draws from [0, bound), with probabilities equal within 2^-32.
  uint32_t below(uint32_t bound) {
    return static_cast<uint32_t>(((next() >> 32) * bound) >> 32);
  }

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

  /// The samples in a bin of a column, or on one side of a threshold.
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

} // namespace

DecisionTree::DecisionTree(std::vector<Node> nodes)
    : nodeList(std::move(nodes)) {}

/// Leaves have themselves as children: no bin is above their threshold, 255.
static uint32_t getChild(const DecisionTree::Node &node, const uint8_t *row) {
  return node.left + (row[node.column] > node.threshold ? 1 : 0);
}

uint32_t DecisionTree::leaf(std::span<const uint8_t> row) const {
  uint32_t node = 0;
  while (!isLeaf(node))
    node = getChild(nodeList[node], row.data());
  return node;
}

void DecisionTree::leaves(const Rows<uint8_t> &rows,
                          std::span<uint32_t> leaves) const {
  // Eight at a time: each step of one row waits for its own loads only, and
  // none ends a loop that the processor could mispredict.
  constexpr size_t lanes = 8;
  if (nodeList.size() == 1) {
    std::ranges::fill(leaves, 0);
    return;
  }
  const Node *nodes = nodeList.data();
  size_t i = 0;
  for (; i + lanes <= rows.size(); i += lanes) {
    std::array<uint32_t, lanes> at{};
    const uint8_t *row = rows[i].data();
    uint32_t moved = 1;
    while (moved) {
      moved = 0;
      for (size_t lane = 0; lane < lanes; ++lane) {
        const Node &node = nodes[at[lane]];
        uint32_t next = getChild(node, row + (lane * rows.columns()));
        moved |= next ^ at[lane];
        at[lane] = next;
      }
    }
    std::ranges::copy(at, leaves.begin() + static_cast<ptrdiff_t>(i));
  }
  for (; i < rows.size(); ++i)
    leaves[i] = leaf(rows[i]);
}

std::vector<uint16_t> DecisionTree::path(std::span<const uint8_t> row) const {
  std::vector<uint16_t> columns;
  for (uint32_t node = 0; !isLeaf(node);
       node = getChild(nodeList[node], row.data()))
    if (std::ranges::find(columns, nodeList[node].column) == columns.end())
      columns.push_back(nodeList[node].column);
  return columns;
}

TreeBuilder::TreeBuilder(const Rows<uint8_t> &rows,
                         DecisionTree::Options options)
    : options(options), rowCount(rows.size()),
      byColumn(rows.columns() * rows.size()), columns(rows.columns()) {
  if (this->options.columns == 0)
    this->options.columns = columns.size();
  for (size_t row = 0; row < rowCount; ++row)
    for (size_t column = 0; column < columns.size(); ++column)
      byColumn[(column * rowCount) + row] = rows[row][column];
}

/// Computes x log x.
static double entropyTerm(double x) { return x > 0 ? x * std::log(x) : 0; }

/// Scores one side of a split; the sum of both sides is maximised.
double TreeBuilder::score(const Share &share) const {
  if (options.criterion == DecisionTree::Options::Criterion::squaredError)
    return share.sum * share.sum / share.weight;
  return entropyTerm(share.sum) + entropyTerm(share.weight - share.sum) -
         entropyTerm(share.weight);
}

/// Returns true if the column varies over the samples; stores a better split in
/// `best`.
bool TreeBuilder::tryColumn(uint16_t column, std::span<const Sample> samples,
                            const Share &all, Split &best) {
  const uint8_t *bins = byColumn.data() + (column * rowCount);
  uint8_t low = 255, high = 0;
  for (const Sample &sample : samples) {
    uint8_t bin = bins[sample.row];
    low = std::min(low, bin);
    high = std::max(high, bin);
    histogram[bin] += {sample.weight, sample.sum, 1};
  }
  uint32_t drawn = 256;
  if (options.drawsThresholds && low < high)
    drawn = low + random->below(high - low);
  Share left;
  for (uint32_t bin = low; bin < high; ++bin) {
    left += histogram[bin];
    if (options.drawsThresholds ? bin != drawn : histogram[bin].count == 0)
      continue;
    Share right = all - left;
    if (left.count < options.leastLeaf || right.count < options.leastLeaf)
      continue;
    double sum = score(left) + score(right);
    if (best.found && sum <= best.score)
      continue;
    uint32_t next = bin + 1; // the next bin with samples
    while (histogram[next].count == 0)
      ++next;
    uint32_t threshold = options.drawsThresholds ? bin : (bin + next - 1) / 2;
    best = {sum, column, static_cast<uint8_t>(threshold), true};
  }
  std::fill(histogram.begin() + low, histogram.begin() + high + 1, Share());
  return low < high;
}

/// Returns the best split among the drawn columns.
TreeBuilder::Split TreeBuilder::findSplit(std::span<const Sample> samples,
                                          const Share &all) {
  Split best;
  size_t tried = 0;
  for (size_t i = 0; i < columns.size() && tried < options.columns; ++i) {
    auto left = static_cast<uint32_t>(columns.size() - i);
    std::swap(columns[i], columns[i + random->below(left)]);
    tried += tryColumn(columns[i], samples, all, best);
  }
  return best;
}

void TreeBuilder::growNode(uint32_t node, std::span<Sample> samples,
                           size_t depth) {
  Share all;
  for (const Sample &sample : samples)
    all += {sample.weight, sample.sum, 1};
  double mean = all.sum / all.weight, squares = 0;
  for (const Sample &sample : samples) {
    double excess = targets[sample.row] - mean;
    squares += sample.weight * excess * excess;
  }
  double variance = squares / all.weight;
  nodes[node] = {node, 0, 255, static_cast<float>(mean),
                 static_cast<float>(variance)};
  if (depth == 0)
    leastVariance = (1e-12 * variance) + (1e-24 * mean * mean); // rounding
  if (samples.size() < 2 * options.leastLeaf || depth == options.mostDepth ||
      variance <= leastVariance)
    return;
  Split split = findSplit(samples, all);
  if (!split.found)
    return;
  const uint8_t *bins = byColumn.data() + (split.column * rowCount);
  size_t leftCount = 0;
  for (Sample &sample : samples)
    if (bins[sample.row] <= split.threshold)
      std::swap(sample, samples[leftCount++]);
  auto left = static_cast<uint32_t>(nodes.size());
  nodes.resize(nodes.size() + 2);
  nodes[node].left = left;
  nodes[node].column = split.column;
  nodes[node].threshold = split.threshold;
  growNode(left, samples.first(leftCount), depth + 1);
  growNode(left + 1, samples.subspan(leftCount), depth + 1);
}

DecisionTree TreeBuilder::grow(std::span<Sample> samples,
                               std::span<const double> rowTargets,
                               SplitMix &generator) {
  if (samples.empty())
    return DecisionTree(0.0F);
  targets = rowTargets;
  random = &generator;
  // Start from the same order, independent of earlier trees.
  std::iota(columns.begin(), columns.end(), 0);
  nodes.assign(1, {});
  growNode(0, samples, 0);
  return DecisionTree(nodes);
}

size_t Forest::computeColumnShare(size_t columns, double share) {
  return std::max<size_t>(
      1, static_cast<size_t>(share * static_cast<double>(columns)));
}

size_t Forest::computeSqrtColumns(size_t columns) {
  return std::max<size_t>(
      1, static_cast<size_t>(std::sqrt(static_cast<double>(columns))));
}

Forest::Forest(const Rows<uint8_t> &rows, std::span<const double> targets,
               std::span<const double> weights, const Options &options,
               uint64_t seed) {
  assert(rows.size() > 0 && targets.size() == rows.size());
  TreeBuilder builder(rows, options.tree);
  SplitMix random(seed);
  auto count = static_cast<uint32_t>(rows.size());
  std::vector<uint32_t> draws(count, 1);
  std::vector<TreeBuilder::Sample> samples;
  for (size_t tree = 0; tree < options.trees; ++tree) {
    if (options.bootstrap) {
      std::ranges::fill(draws, 0);
      for (uint32_t i = 0; i < count; ++i)
        ++draws[random.below(count)];
    }
    samples.clear();
    for (uint32_t row = 0; row < count; ++row) {
      double weight = draws[row] * (weights.empty() ? 1 : weights[row]);
      if (weight > 0)
        samples.push_back({row, weight, weight * targets[row]});
    }
    treeList.push_back(builder.grow(samples, targets, random));
  }
}

std::vector<Forest::Prediction>
Forest::predict(const Rows<uint8_t> &rows) const {
  struct Sums {
    double mean = 0, square = 0, variance = 0;
  };
  std::vector<Sums> sums(rows.size());
  std::vector<uint32_t> leaves(rows.size());
  for (const DecisionTree &tree : treeList) {
    tree.leaves(rows, leaves);
    for (size_t row = 0; row < rows.size(); ++row) {
      const DecisionTree::Node &leaf = tree.nodes()[leaves[row]];
      double mean = leaf.mean;
      sums[row].mean += mean;
      sums[row].square += mean * mean;
      sums[row].variance += leaf.variance;
    }
  }
  auto count = static_cast<double>(treeList.size());
  std::vector<Prediction> predictions;
  predictions.reserve(rows.size());
  for (const Sums &sum : sums) {
    double mean = sum.mean / count;
    double between = std::max(0.0, (sum.square / count) - (mean * mean));
    predictions.push_back(
        {static_cast<float>(mean),
         static_cast<float>(between + (sum.variance / count))});
  }
  return predictions;
}

Rows<uint32_t> Forest::leaves(const Rows<uint8_t> &rows) const {
  Rows<uint32_t> all(treeList.size(), rows.size());
  std::vector<uint32_t> leaves(rows.size());
  for (size_t tree = 0; tree < treeList.size(); ++tree) {
    treeList[tree].leaves(rows, leaves);
    for (size_t row = 0; row < rows.size(); ++row)
      all[row][tree] = leaves[row];
  }
  return all;
}

std::optional<Forest>
LfboClassifier::fit(const Rows<uint8_t> &rows,
                    std::span<const std::optional<double>> ratios,
                    uint64_t seed) const {
  std::vector<double> succeeded;
  for (std::optional<double> ratio : ratios)
    if (ratio)
      succeeded.push_back(*ratio);
  if (succeeded.empty())
    return std::nullopt;
  std::ranges::sort(succeeded);
  double threshold = quantileOfSorted(succeeded, quantile);

  std::vector<double> labels(ratios.size(), 0), weights(ratios.size(), 1);
  double sum = 0, good = 0;
  for (size_t i = 0; i < ratios.size(); ++i)
    if (ratios[i] && *ratios[i] <= threshold) {
      labels[i] = 1;
      weights[i] = std::max(1e-5 * threshold, threshold - *ratios[i]);
      sum += weights[i];
      ++good;
    }
  if (good == static_cast<double>(ratios.size()))
    return std::nullopt;
  for (size_t i = 0; i < ratios.size(); ++i)
    if (labels[i] > 0)
      weights[i] *= good / sum;

  Forest::Options options;
  options.trees = trees;
  options.tree.columns = Forest::computeSqrtColumns(rows.columns());
  options.tree.criterion = DecisionTree::Options::Criterion::logLoss;
  return Forest(rows, labels, weights, options, seed);
}

std::vector<size_t> tonno::selectDiverse(const Forest &forest,
                                         const Rows<uint8_t> &rows,
                                         size_t count, double penalty) {
  std::vector<Forest::Prediction> good = forest.predict(rows);
  Rows<uint32_t> leaves = forest.leaves(rows);
  auto trees = static_cast<double>(forest.trees().size());
  std::vector<double> similarity(rows.size(), 0); // summed
  std::vector<bool> isSelected(rows.size(), false);
  std::vector<size_t> selected;
  while (selected.size() < std::min(count, rows.size())) {
    std::optional<size_t> best;
    double bestScore = 0;
    for (size_t row = 0; row < rows.size(); ++row) {
      double score = good[row].mean;
      if (!selected.empty())
        score -=
            penalty * similarity[row] / static_cast<double>(selected.size());
      if (!isSelected[row] && (!best || score > bestScore)) {
        best = row;
        bestScore = score;
      }
    }
    isSelected[*best] = true;
    selected.push_back(*best);
    for (size_t row = 0; row < rows.size(); ++row) {
      size_t same = 0;
      for (size_t tree = 0; tree < leaves.columns(); ++tree)
        same += leaves[row][tree] == leaves[*best][tree];
      similarity[row] += static_cast<double>(same) / trees;
    }
  }
  return selected;
}

double tonno::expectedImprovement(double mean, double deviation, double best) {
  double z = (mean - best) / deviation;
  double below = std::erfc(-z / std::numbers::sqrt2) / 2;
  double density =
      std::exp(-z * z / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  return ((mean - best) * below) + (deviation * density);
}
