//===- Many trees, averaged -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/Forest.h"

#include "TreeBuilder.h"

#include <algorithm>
#include <cassert>
#include <cmath>

using namespace tonno;

size_t Forest::shareOf(size_t columns, double share) {
  return std::max<size_t>(
      1, static_cast<size_t>(share * static_cast<double>(columns)));
}

size_t Forest::rootOf(size_t columns) {
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
