//===- Shapes to tune for -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Space/AnchorShapes.h"
#include "tonno/Space/Constraint.h"
#include "ConstraintTree.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace tonno;

/// Returns the number of dimensions with more than one size.
static size_t countRanges(const Shapes &shapes) {
  return std::ranges::count_if(shapes.ranges, [](const SizeRange &range) {
    return range.low < range.high;
  });
}

/// Returns at most this many sizes of a range, its ends among them, with about
/// equal ratios between neighbours.
static std::vector<int64_t> chooseSizes(const SizeRange &range, size_t most) {
  std::vector<int64_t> sizes = {range.low};
  for (int64_t size = 1; size < range.high; size *= 2)
    if (size > range.low)
      sizes.push_back(size);
  if (range.high > range.low)
    sizes.push_back(range.high);
  if (sizes.size() <= most)
    return sizes;
  std::vector<int64_t> kept;
  for (size_t i = 0; i < most; ++i)
    kept.push_back(sizes[(i * (sizes.size() - 1) + (most - 1) / 2) /
                         std::max<size_t>(most - 1, 1)]);
  return kept;
}

/// Returns at most this many of the listed sizes of a dimension, the least and
/// the greatest among them, and the same weight between neighbours.
static std::vector<int64_t>
chooseListedSizes(const std::vector<ListedShape> &listed, size_t axis,
                  size_t most) {
  std::map<int64_t, double> weights;
  double sum = 0;
  for (const ListedShape &shape : listed) {
    weights[shape.sizes[axis].size] += shape.weight;
    sum += shape.weight;
  }
  std::vector<int64_t> sizes;
  double reached = 0;
  for (auto [size, weight] : weights) {
    reached += weight;
    bool isEnd =
        size == weights.begin()->first || size == weights.rbegin()->first;
    double due =
        sum * static_cast<double>(sizes.size()) / static_cast<double>(most - 1);
    if (weights.size() <= most || isEnd ||
        (sizes.size() + 1 < most && reached >= due))
      sizes.push_back(size);
  }
  return sizes;
}

/// Adds the weight of each listed shape to the nearest anchor.
static void weighListed(std::vector<AnchorShape> &anchors,
                        const std::vector<ListedShape> &listed) {
  for (AnchorShape &anchor : anchors)
    anchor.weight = 0;
  auto distance = [](const AnchorShape &anchor, const ListedShape &shape) {
    double sum = 0;
    for (size_t i = 0; i < shape.sizes.size(); ++i)
      sum += std::abs(std::log(static_cast<double>(anchor.sizes[i].size) /
                               static_cast<double>(shape.sizes[i].size)));
    return sum;
  };
  for (const ListedShape &shape : listed)
    std::ranges::min_element(anchors, {}, [&](const AnchorShape &anchor) {
      return distance(anchor, shape);
    })->weight += shape.weight;
}

/// Returns which of the shapes meet the condition.
static Result<std::vector<size_t>>
findMatches(std::span<const AnchorShape> anchors,
            const std::string &condition) {
  auto refuseCondition = [&](const std::string &why) {
    return Error{"the weight for '" + condition + "' " + why};
  };
  auto parsed = Constraint::parse(condition);
  if (!parsed)
    return refuseCondition(parsed.error().text());
  std::vector<size_t> matches;
  for (size_t i = 0; i < anchors.size(); ++i) {
    auto resolved = constraint::resolve(*parsed, {}, anchors[i].sizes);
    if (!resolved)
      return refuseCondition("cannot be evaluated: " + resolved.error().text());
    if (constraint::compile(*resolved, {}, ConstraintLimits()).run(nullptr) ==
        Truth::holds)
      matches.push_back(i);
  }
  if (matches.empty())
    return refuseCondition("has no size in the range that is tried");
  return matches;
}

Result<std::vector<AnchorShape>> tonno::chooseAnchors(const Shapes &shapes,
                                                      size_t most) {
  std::vector<AnchorShape> anchors = {{}};
  size_t ranges = countRanges(shapes);
  auto mostOfEach = static_cast<size_t>(std::max(
      2.0, std::floor(std::pow(static_cast<double>(most),
                               1.0 / static_cast<double>(
                                         std::max<size_t>(ranges, 1))) +
                      1e-9)));
  for (size_t axis = 0; axis < shapes.ranges.size(); ++axis) {
    const SizeRange &range = shapes.ranges[axis];
    std::vector<AnchorShape> extended;
    for (const AnchorShape &anchor : anchors)
      for (int64_t size :
           shapes.listed.empty()
               ? chooseSizes(range, mostOfEach)
               : chooseListedSizes(shapes.listed, axis, mostOfEach)) {
        extended.push_back(anchor);
        extended.back().sizes.push_back({range.name, size});
      }
    anchors = std::move(extended);
  }
  double left = 1;
  std::vector<double> weights(anchors.size(), 0);
  std::vector<bool> isWeighted(anchors.size(), false);
  for (const ShapeWeight &each : shapes.weights) {
    auto matches = TONNO_TRY(findMatches(anchors, each.condition));
    for (size_t i : matches) {
      weights[i] += each.weight / static_cast<double>(matches.size());
      isWeighted[i] = true;
    }
    left -= each.weight;
  }
  auto others = static_cast<double>(std::ranges::count(isWeighted, false));
  for (size_t i = 0; i < anchors.size(); ++i)
    anchors[i].weight = isWeighted[i] ? weights[i] : left / others;
  if (!shapes.listed.empty())
    weighListed(anchors, shapes.listed);
  double sum = 0;
  for (const AnchorShape &anchor : anchors)
    sum += anchor.weight;
  for (size_t i = 0; i < anchors.size(); ++i) {
    anchors[i].weight /= sum;
    anchors[i].cell = i;
  }
  return anchors;
}

DispatchTable tonno::makeTable(const Shapes &shapes,
                               const std::vector<AnchorShape> &anchors,
                               std::vector<size_t> variants) {
  DispatchTable table;
  table.variants = std::move(variants);
  for (size_t axis = 0; axis < shapes.ranges.size(); ++axis) {
    const SizeRange &range = shapes.ranges[axis];
    std::vector<int64_t> sizes;
    for (const AnchorShape &anchor : anchors)
      sizes.push_back(anchor.sizes[axis].size);
    std::ranges::sort(sizes);
    auto twice = std::ranges::unique(sizes);
    sizes.erase(twice.begin(), twice.end());
    DispatchAxis cut = {range.name, range.low, {}};
    for (size_t i = 0; i + 1 < sizes.size(); ++i)
      cut.bounds.push_back(static_cast<int64_t>(std::sqrt(
          static_cast<double>(sizes[i]) * static_cast<double>(sizes[i + 1]))));
    cut.bounds.push_back(range.high);
    table.axes.push_back(std::move(cut));
  }
  return table;
}

/// Returns the odd size at this part of the way from `low` to `high`.
static int64_t findOdd(int64_t low, int64_t high, double part) {
  double size =
      static_cast<double>(low) *
      std::pow(static_cast<double>(high) / static_cast<double>(low), part);
  return std::clamp(static_cast<int64_t>(size) | 1, low, high);
}

/// The sizes of a cell along an axis, both ends included.
struct CellRange {
  int64_t low, high;
};

static std::vector<CellRange> findCell(const DispatchTable &table,
                                       const AnchorShape &anchor) {
  std::vector<CellRange> cell;
  for (size_t i = 0; i < table.axes.size(); ++i) {
    const DispatchAxis &axis = table.axes[i];
    auto end = std::ranges::lower_bound(axis.bounds, anchor.sizes[i].size);
    cell.push_back(
        {end == axis.bounds.begin() ? axis.least : end[-1] + 1, *end});
  }
  return cell;
}

/// Returns shapes of a cell that are no multiples of tiles, its anchor perhaps
/// among them.
static std::vector<std::vector<Dimension>>
chooseOdd(const AnchorShape &anchor, const std::vector<CellRange> &cell,
          const std::vector<double> &parts) {
  std::vector<std::vector<Dimension>> chosen;
  for (double part : parts) {
    chosen.push_back(anchor.sizes);
    for (size_t i = 0; i < cell.size(); ++i)
      chosen.back()[i].size = findOdd(cell[i].low, cell[i].high, part);
  }
  return chosen;
}

/// Returns the listed shapes of a cell, the heaviest first.
static std::vector<std::vector<Dimension>>
chooseListed(const std::vector<ListedShape> &listed,
             const std::vector<CellRange> &cell) {
  std::vector<std::pair<double, std::vector<Dimension>>> found;
  for (const ListedShape &shape : listed) {
    bool isInside = true;
    for (size_t i = 0; i < cell.size(); ++i)
      isInside &= shape.sizes[i].size >= cell[i].low &&
                  shape.sizes[i].size <= cell[i].high;
    if (isInside)
      found.emplace_back(shape.weight, shape.sizes);
  }
  std::ranges::sort(found, [](const auto &one, const auto &other) {
    return one.first > other.first;
  });
  std::vector<std::vector<Dimension>> chosen;
  for (auto &[weight, sizes] : found)
    chosen.push_back(std::move(sizes));
  return chosen;
}

std::vector<AnchorShape>
tonno::chooseProbes(const Shapes &shapes, std::vector<AnchorShape> &anchors) {
  DispatchTable table = makeTable(shapes, anchors, {});
  size_t ranges = countRanges(shapes);
  std::vector<double> parts = {0.75};
  if (ranges == 1)
    parts = {0.25, 0.75};
  std::vector<AnchorShape> probes;
  for (AnchorShape &anchor : anchors) {
    std::vector<CellRange> cell = findCell(table, anchor);
    std::vector<std::vector<Dimension>> ofCell;
    for (auto &sizes : shapes.listed.empty()
                           ? chooseOdd(anchor, cell, parts)
                           : chooseListed(shapes.listed, cell))
      if (sizes != anchor.sizes && ofCell.size() < parts.size() &&
          std::ranges::find(ofCell, sizes) == ofCell.end())
        ofCell.push_back(sizes);
    anchor.weight /= static_cast<double>(ofCell.size() + 1);
    for (auto &sizes : ofCell)
      probes.push_back({std::move(sizes), anchor.weight, anchor.cell});
  }
  return probes;
}

void tonno::mapFields(JsonFields &fields, DispatchAxis &axis) {
  fields("dimension", axis.dimension);
  fields("least", axis.least);
  fields("bounds", axis.bounds);
}

void tonno::mapFields(JsonFields &fields, DispatchTable &table) {
  fields("axes", table.axes);
  fields("variants", table.variants);
}
