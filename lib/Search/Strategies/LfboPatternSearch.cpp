//===- Pattern search, filtered by a classifier ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/LfboPatternSearch.h"

#include "tonno/Search/DiverseSelection.h"

#include <algorithm>

using namespace tonno;

LfboPatternSearch::LfboPatternSearch(std::shared_ptr<const LegalSpace> space,
                                     uint64_t seed, Options options)
    : PatternSearch(std::move(space), seed, options.pattern), options(options) {
}

void LfboPatternSearch::learn() {
  Rows<uint8_t> rows(encoding.columns());
  std::vector<std::optional<double>> ratios;
  for (const Observation &known : observations.all()) {
    encoding.bins(known.configuration, rows.append());
    ratios.push_back(known.ratio);
  }
  model = options.classifier.fit(rows, ratios, random.fork());
}

std::vector<Configuration>
LfboPatternSearch::select(std::vector<Configuration> points) {
  auto count = static_cast<size_t>(static_cast<double>(points.size()) *
                                   options.selected);
  if (!model) {
    random.shuffle(std::span(points));
    points.resize(count);
    return points;
  }
  std::vector<Configuration> selected;
  for (size_t place : selectDiverse(*model, encoding.bins(points), count,
                                    options.similarityPenalty))
    selected.push_back(points[place]);
  return selected;
}

std::vector<Configuration>
LfboPatternSearch::candidates(const Configuration &current) {
  std::vector<Configuration> points = {current};
  for (Configuration &point : draw(current))
    if (fresh.space().contains(point) && visited.insert(point).second)
      points.push_back(std::move(point));
  std::vector<Configuration> selected = select(points);
  if (options.forgetsUnselected) {
    for (const Configuration &point : points)
      if (fresh.isFresh(point))
        visited.erase(point);
    visited.insert(selected.begin(), selected.end());
  }
  return selected;
}

uint32_t LfboPatternSearch::drawNear(size_t knob, uint32_t option) {
  std::vector<uint32_t> near =
      encoding.neighbours(knob, option, options.radius);
  return near.empty() ? option : near[random.below(near.size())];
}

/// Up to `radius` of the other knobs by a step.
void LfboPatternSearch::changeOthers(Configuration &point,
                                     std::span<const size_t> changed) {
  std::vector<size_t> others;
  for (size_t knob = 0; knob < encoding.knobs(); ++knob)
    if (encoding.options(knob) > 1 &&
        std::ranges::find(changed, knob) == changed.end())
      others.push_back(knob);
  random.shuffle(std::span(others));
  others.resize(
      random.below(std::min<size_t>(options.radius, others.size()) + 1));
  for (size_t knob : others) {
    std::vector<uint32_t> near =
        encoding.neighbours(knob, point.indices[knob], 1);
    point.indices[knob] = near[random.below(near.size())];
  }
}

std::vector<Configuration> LfboPatternSearch::draw(const Configuration &point) {
  std::vector<Configuration> drawn(options.neighbours, point);
  for (Configuration &other : drawn) {
    std::vector<size_t> changed;
    if (!blocks.empty())
      changed.push_back(blocks[random.below(blocks.size())]);
    if (warps)
      changed.push_back(*warps);
    for (size_t knob : changed)
      other.indices[knob] = drawNear(knob, other.indices[knob]);
    changeOthers(other, changed);
  }
  return drawn;
}
