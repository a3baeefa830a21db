//===- Sizes of dynamic dimensions ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Space/Shapes.h"
#include "tonno/Core/Trim.h"
#include "tonno/Space/Constraint.h"
#include "ConstraintTree.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

using namespace tonno;

template <typename T>
static std::optional<T> parseNumber(std::string_view text) {
  T number = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  bool isWhole = error == std::errc() && end == text.data() + text.size();
  return isWhole ? std::optional(number) : std::nullopt;
}

/// Returns the text behind a word and a space; none if another word begins.
static std::optional<std::string_view> takeWord(std::string_view text,
                                                std::string_view word) {
  if (!text.starts_with(word) || text.size() == word.size() ||
      text[word.size()] != ' ')
    return std::nullopt;
  return trim(text.substr(word.size()));
}

static Error refuse(std::string_view part, const std::string &why) {
  return Error{"'" + std::string(part) + "' " + why};
}

static Result<SizeRange> parseRange(std::string_view part) {
  size_t sign = std::min(part.find('='), part.find(" in "));
  std::string_view name = trim(part.substr(0, sign));
  if (sign == part.npos || !isPlainName(name))
    return refuse(part, "does not give a dimension its size; write M=64 or "
                        "M=1..8192");
  std::string_view sizes =
      trim(part.substr(part[sign] == '=' ? sign + 1 : sign + 4));
  size_t dots = sizes.find("..");
  std::string_view end =
      dots == sizes.npos ? sizes : trim(sizes.substr(dots + 2));
  auto low = parseNumber<int64_t>(trim(sizes.substr(0, dots)));
  auto high = parseNumber<int64_t>(end);
  SizeRange range{std::string(name)};
  if (!low || !high || *low < 1 || *high < 1)
    return refuse(part, "has no positive size; write " + range.name + "=64");
  if (*low > *high)
    return refuse(part, "is empty; write the smaller size first");
  range.low = *low;
  range.high = *high;
  return range;
}

static Result<ShapeWeight> parseWeight(std::string_view part,
                                       std::string_view text) {
  size_t end = text.find(" for ");
  auto weight = parseNumber<double>(trim(text.substr(0, end)));
  if (end == text.npos || !weight || !(*weight > 0 && *weight <= 1))
    return refuse(part, "gives no weight above 0 and at most 1; write 'weight "
                        "0.8 for M <= 32'");
  std::string condition(trim(text.substr(end + 5)));
  if (auto parsed = Constraint::parse(condition); !parsed)
    return refuse(part, "has no condition: " + parsed.error().text());
  return ShapeWeight{*weight, std::move(condition)};
}

bool Shapes::areFixed() const {
  return std::ranges::all_of(
      ranges, [](const SizeRange &range) { return range.low == range.high; });
}

std::vector<Dimension> Shapes::sizes() const {
  std::vector<Dimension> sizes;
  for (const SizeRange &range : ranges)
    sizes.push_back({range.name, range.low});
  return sizes;
}

/// Checks what holds for all parts together.
static Result<void> check(const Shapes &shapes) {
  double sum = 0;
  for (const ShapeWeight &each : shapes.weights)
    sum += each.weight;
  if (sum > 1)
    return Error{"the weights are more than 1 together; they are shares of all "
                 "calls"};
  if (shapes.ranges.empty())
    return Error{"no dimension has a size; write M=64 or M=1..8192"};
  return {};
}

Result<Shapes> tonno::parseShapes(std::string_view text) {
  Shapes shapes;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    std::string_view part = trim(text.substr(begin, end - begin));
    begin = end + 1;
    if (auto weight = takeWord(part, "weight")) {
      shapes.weights.push_back(TONNO_TRY(parseWeight(part, *weight)));
      continue;
    }
    auto range = TONNO_TRY(parseRange(part));
    if (std::ranges::find(shapes.ranges, range.name, &SizeRange::name) !=
        shapes.ranges.end())
      return Error{"dimension '" + range.name +
                   "' has two sizes; give it one, or a range"};
    shapes.ranges.push_back(std::move(range));
  }
  TONNO_TRY(check(shapes));
  return shapes;
}

Result<std::vector<Dimension>> tonno::parseSizes(std::string_view text) {
  auto shapes = TONNO_TRY(parseShapes(text));
  if (!shapes.areFixed())
    return Error{"a range of sizes has no use here; give each dimension one "
                 "size"};
  return shapes.sizes();
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
  size_t ranges =
      std::ranges::count_if(shapes.ranges, [](const SizeRange &range) {
        return range.low < range.high;
      });
  auto mostOfEach = static_cast<size_t>(std::max(
      2.0, std::floor(std::pow(static_cast<double>(most),
                               1.0 / static_cast<double>(
                                         std::max<size_t>(ranges, 1))) +
                      1e-9)));
  for (const SizeRange &range : shapes.ranges) {
    std::vector<AnchorShape> extended;
    for (const AnchorShape &anchor : anchors)
      for (int64_t size : chooseSizes(range, mostOfEach)) {
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

std::vector<AnchorShape>
tonno::chooseProbes(const Shapes &shapes, std::vector<AnchorShape> &anchors) {
  DispatchTable table = makeTable(shapes, anchors, {});
  size_t ranges =
      std::ranges::count_if(shapes.ranges, [](const SizeRange &range) {
        return range.low < range.high;
      });
  std::vector<double> parts = {0.75};
  if (ranges == 1)
    parts = {0.25, 0.75};
  std::vector<AnchorShape> probes;
  for (AnchorShape &anchor : anchors) {
    std::vector<AnchorShape> ofCell;
    for (double part : parts) {
      AnchorShape probe = anchor;
      for (size_t i = 0; i < table.axes.size(); ++i) {
        const DispatchAxis &axis = table.axes[i];
        auto end = std::ranges::lower_bound(axis.bounds, anchor.sizes[i].size);
        int64_t low = end == axis.bounds.begin() ? axis.least : end[-1] + 1;
        probe.sizes[i].size = findOdd(low, *end, part);
      }
      auto isKnown = [&](const AnchorShape &other) {
        return other.sizes == probe.sizes;
      };
      if (!isKnown(anchor) && std::ranges::none_of(ofCell, isKnown))
        ofCell.push_back(std::move(probe));
    }
    anchor.weight /= static_cast<double>(ofCell.size() + 1);
    for (AnchorShape &probe : ofCell) {
      probe.weight = anchor.weight;
      probes.push_back(std::move(probe));
    }
  }
  return probes;
}

void tonno::mapFields(JsonFields &fields, SizeRange &range) {
  fields("name", range.name);
  fields("low", range.low);
  fields("high", range.high);
}

void tonno::mapFields(JsonFields &fields, ShapeWeight &weight) {
  fields("weight", weight.weight);
  fields("condition", weight.condition);
}

void tonno::mapFields(JsonFields &fields, Shapes &shapes) {
  fields("ranges", shapes.ranges);
  fields.list("weights", shapes.weights);
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
