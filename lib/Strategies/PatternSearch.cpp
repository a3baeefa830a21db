//===- Helion's pattern searches ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PatternSearch.h"

#include <algorithm>
#include <cmath>

using namespace tonno;

PatternSearch::PatternSearch(std::shared_ptr<const LegalSpace> space,
                             uint64_t seed, Options options)
    : GenerationalSearch(std::move(space), seed), options(options) {
  const std::vector<Knob> &knobs = fresh.space().space().knobs();
  for (size_t knob = 0; knob < knobs.size(); ++knob) {
    if (!encoding.isOrdered(knob))
      continue;
    if (!warps &&
        (knobs[knob].name == "num_warps" || knobs[knob].name == "warps"))
      warps = knob;
    else if (encoding.options(knob) > 2)
      blocks.push_back(knob);
  }
}

std::vector<Configuration> PatternSearch::start() {
  population = drawFresh(options.initial);
  generationCount = 0;
  visited.clear();
  visited.insert(population.begin(), population.end());
  if (!revisits())
    for (const Observation &known : observations.all())
      visited.insert(known.configuration);
  return population;
}

/// Chooses the best of the population; the first time, of all observations,
/// including given starting points.
void PatternSearch::chooseCopies() {
  std::vector<Observation> known;
  if (isFirst)
    known.assign(observations.all().begin(), observations.all().end());
  else
    for (const Configuration &point : population)
      if (const Observation *found = observations.find(point))
        known.push_back(*found);
  std::erase_if(known, [](const Observation &each) { return !each.ratio; });
  std::ranges::sort(known, {}, [](const Observation &each) {
    return std::pair(*each.ratio, each.configuration);
  });
  for (const Observation &each : known)
    if (copies.size() < options.copies)
      copies.push_back({each.configuration, {}, options.patience});
}

/// Moves a copy to its best candidate. Returns false if it ends.
///
/// Candidates that are pending still stay with the copy; until they are known
/// it neither ends nor becomes worse.
bool PatternSearch::moveToBestCandidate(Copy &copy) {
  const Observation *current = observations.find(copy.current);
  const Observation *best = nullptr;
  std::vector<Configuration> unknown;
  for (Configuration &point : copy.candidates) {
    const Observation *found = observations.find(point);
    if (!found)
      unknown.push_back(std::move(point));
    else if (!best || found->isBetterThan(*best))
      best = found;
  }
  copy.candidates = std::move(unknown);
  if (!copy.candidates.empty()) {
    if (best && best->isBetterThan(*current))
      copy.current = best->configuration;
    return true;
  }
  if (!best)
    return false;
  bool isSame = best->configuration == copy.current ||
                (best->ratio && current->ratio &&
                 std::abs((*best->ratio / *current->ratio) - 1) <
                     options.leastImprovement);
  if (isSame && copy.patience == 0)
    return false;
  copy.patience -= isSame;
  copy.current = best->configuration;
  return true;
}

/// Returns the next points of all copies; ends copies without candidates.
std::vector<Configuration> PatternSearch::moveCopies() {
  ++generationCount;
  learn();
  std::vector<Configuration> next;
  std::erase_if(copies, [&](Copy &copy) {
    std::vector<Configuration> found = candidates(copy.current);
    bool isAny = found.size() > 1;
    if (isAny) {
      next.insert(next.end(), found.begin(), found.end());
      copy.candidates.insert(copy.candidates.end(), found.begin(), found.end());
    }
    return copy.candidates.empty();
  });
  if (next.empty())
    --generationCount; // all wait for what is pending
  return next;
}

std::optional<std::vector<Configuration>>
PatternSearch::nextGeneration(bool isComplete) {
  if (!population.empty()) {
    chooseCopies();
    if (copies.empty() && !isComplete)
      return std::vector<Configuration>();
    population.clear();
    isFirst = false;
  } else {
    std::erase_if(copies,
                  [&](Copy &copy) { return !moveToBestCandidate(copy); });
  }
  if (!copies.empty() && generationCount < options.generations) {
    std::vector<Configuration> next = moveCopies();
    if (!next.empty() || !copies.empty())
      return next;
  }
  copies.clear();
  if (!isFirst && !options.restarts)
    return std::nullopt;
  std::vector<Configuration> drawn = start();
  return drawn.empty() ? std::nullopt : std::optional(std::move(drawn));
}

/// Returns the points with one knob changed by a step, and with two block sizes
/// changed.
std::vector<Configuration>
PatternSearch::neighbours(const Configuration &point) const {
  std::vector<std::vector<uint32_t>> near;
  for (size_t knob = 0; knob < encoding.knobs(); ++knob)
    near.push_back(encoding.neighbours(knob, point.indices[knob], 1));
  std::vector<Configuration> found;
  for (size_t knob = 0; knob < near.size(); ++knob)
    for (uint32_t option : near[knob]) {
      found.push_back(point);
      found.back().indices[knob] = option;
    }
  for (size_t i = 0; i < blocks.size(); ++i)
    for (size_t j = i + 1; j < blocks.size(); ++j)
      for (uint32_t one : near[blocks[i]])
        for (uint32_t other : near[blocks[j]]) {
          found.push_back(point);
          found.back().indices[blocks[i]] = one;
          found.back().indices[blocks[j]] = other;
        }
  std::erase_if(found, [&](const Configuration &each) {
    return !fresh.space().contains(each);
  });
  return found;
}

std::vector<Configuration>
PatternSearch::candidates(const Configuration &current) {
  std::vector<Configuration> found = {current};
  for (Configuration &point : neighbours(current))
    if (visited.insert(point).second)
      found.push_back(std::move(point));
  return found;
}

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

/// Changes up to `radius` of the other knobs by a step.
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
