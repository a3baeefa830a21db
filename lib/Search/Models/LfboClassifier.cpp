//===- Good points from others --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/LfboClassifier.h"

#include "tonno/Core/Quantile.h"

#include <algorithm>

using namespace tonno;

/// Interpolated between the two nearest. Precondition: there are values.
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
  options.tree.columns = Forest::rootOf(rows.columns());
  options.tree.criterion = DecisionTree::Options::Criterion::logLoss;
  return Forest(rows, labels, weights, options, seed);
}
