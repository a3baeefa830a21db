//===- Neighbours that trees ask for --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/LfboTreeSearch.h"

#include <algorithm>

using namespace tonno;

/// Moves the point, knob by knob, to where the tree is surest that it is good;
/// where it finds several equal, to one of them.
void LfboTreeSearch::climb(const DecisionTree &tree, Configuration &point) {
  std::vector<uint8_t> row(encoding.columns());
  encoding.bins(point, row);
  std::vector<size_t> knobs;
  auto add = [&](size_t knob) {
    if (std::ranges::find(knobs, knob) == knobs.end())
      knobs.push_back(knob);
  };
  for (uint16_t column : tree.path(row))
    add(encoding.columnKnobs()[column]);
  if (!blocks.empty())
    add(blocks[random.below(blocks.size())]);
  if (warps)
    add(*warps);

  for (size_t knob : knobs) {
    uint32_t &option = point.indices[knob];
    std::vector<uint32_t> tried =
        encoding.neighbours(knob, option, options.radius);
    tried.push_back(option);
    std::vector<uint32_t> best;
    float most = -1;
    for (uint32_t each : tried) {
      encoding.knobBins(knob, each, row);
      float good = tree.nodes()[tree.leaf(row)].mean;
      if (good > most)
        best.clear();
      most = std::max(most, good);
      if (good == most)
        best.push_back(each);
    }
    option = best[random.below(best.size())];
    encoding.knobBins(knob, option, row);
  }
}

std::vector<Configuration> LfboTreeSearch::draw(const Configuration &point) {
  if (generation() <= 1 || !classifier())
    return LfboPatternSearch::draw(point);
  std::vector<Configuration> drawn(options.neighbours, point);
  std::span<const DecisionTree> trees = classifier()->trees();
  for (Configuration &other : drawn)
    climb(trees[random.below(trees.size())], other);
  return drawn;
}
