//===- Likely good and unlike each other ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/DiverseSelection.h"

#include <algorithm>
#include <optional>

using namespace tonno;

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
