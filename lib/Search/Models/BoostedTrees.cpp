//===- Trees, each for what is left ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/BoostedTrees.h"

#include "TreeBuilder.h"

#include <cassert>

using namespace tonno;

BoostedTrees::BoostedTrees(const Rows<uint8_t> &rows,
                           std::span<const double> targets,
                           std::span<const double> weights,
                           const Options &options, uint64_t seed)
    : rate(options.rate) {
  assert(rows.size() > 0 && targets.size() == rows.size());
  DecisionTree::Options treeOptions;
  treeOptions.leastLeaf = options.leastLeaf;
  treeOptions.mostDepth = options.mostDepth;
  TreeBuilder builder(rows, treeOptions);
  SplitMix random(seed);
  auto weightOf = [&](size_t row) {
    return weights.empty() ? 1 : weights[row];
  };

  double weightSum = 0, sum = 0;
  for (size_t row = 0; row < rows.size(); ++row)
    if (weightOf(row) > 0) {
      weightSum += weightOf(row);
      sum += weightOf(row) * targets[row];
    }
  base = sum / weightSum;
  std::vector<double> rest(targets.begin(), targets.end());
  for (double &target : rest)
    target -= base;

  std::vector<TreeBuilder::Sample> samples;
  std::vector<uint32_t> leaves(rows.size());
  for (size_t tree = 0; tree < options.trees; ++tree) {
    samples.clear();
    for (uint32_t row = 0; row < rows.size(); ++row)
      if (weightOf(row) > 0 && random.uniform() < options.share)
        samples.push_back({row, weightOf(row), weightOf(row) * rest[row]});
    treeList.push_back(builder.grow(samples, rest, random));
    treeList.back().leaves(rows, leaves);
    for (size_t row = 0; row < rows.size(); ++row)
      rest[row] -= rate * treeList.back().nodes()[leaves[row]].mean;
  }
}

std::vector<float> BoostedTrees::predict(const Rows<uint8_t> &rows) const {
  std::vector<double> sums(rows.size(), base);
  std::vector<uint32_t> leaves(rows.size());
  for (const DecisionTree &tree : treeList) {
    tree.leaves(rows, leaves);
    for (size_t row = 0; row < rows.size(); ++row)
      sums[row] += rate * tree.nodes()[leaves[row]].mean;
  }
  return {sums.begin(), sums.end()};
}
