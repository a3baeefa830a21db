//===- Grows trees --------------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TreeBuilder.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace tonno;

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

/// x log x.
static double entropyTerm(double x) { return x > 0 ? x * std::log(x) : 0; }

/// Of the two sides of a split, the sum is to be large.
double TreeBuilder::score(const Share &share) const {
  if (options.criterion == DecisionTree::Options::Criterion::squaredError)
    return share.sum * share.sum / share.weight;
  return entropyTerm(share.sum) + entropyTerm(share.weight - share.sum) -
         entropyTerm(share.weight);
}

/// Whether the column varies here; a better split goes to `best`.
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

/// The best of the columns drawn.
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
  // From the same order, whatever was grown before.
  std::iota(columns.begin(), columns.end(), 0);
  nodes.assign(1, {});
  growNode(0, samples, 0);
  return DecisionTree(nodes);
}
