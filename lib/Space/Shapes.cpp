//===- Sizes of dynamic dimensions ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Space/Shapes.h"
#include "tonno/Core/Trim.h"
#include "tonno/Space/Constraint.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
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
  return listed.empty() &&
         std::ranges::all_of(ranges, [](const SizeRange &range) {
           return range.low == range.high;
         });
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

/// Splits a line at its commas.
static std::vector<std::string_view> splitCells(std::string_view line) {
  std::vector<std::string_view> cells;
  for (size_t begin = 0; begin <= line.size();) {
    size_t end = std::min(line.find(',', begin), line.size());
    cells.push_back(trim(line.substr(begin, end - begin)));
    begin = end + 1;
  }
  return cells;
}

static constexpr std::string_view weightColumn = "weight";

static Result<std::vector<ListedShape>> parseCsv(std::string_view text) {
  std::vector<ListedShape> shapes;
  std::vector<std::string_view> names;
  size_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = trim(text.substr(begin, end - begin));
    begin = end + 1;
    ++number;
    if (line.empty() || line.starts_with('#'))
      continue;
    auto refuseLine = [&](const std::string &why) {
      return Error{"line " + std::to_string(number) + ", '" +
                   std::string(line) + "', " + why};
    };
    std::vector<std::string_view> cells = splitCells(line);
    if (names.empty()) {
      names = cells;
      if (!std::ranges::all_of(names, isPlainName))
        return refuseLine("has no names of dimensions; write M,N,weight");
      continue;
    }
    if (cells == names)
      continue; // of files joined
    if (cells.size() != names.size())
      return refuseLine("has " + std::to_string(cells.size()) +
                        " numbers for " + std::to_string(names.size()) +
                        " columns");
    ListedShape shape;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (names[i] == weightColumn) {
        auto weight = parseNumber<double>(cells[i]);
        if (!weight || !(*weight > 0) || !std::isfinite(*weight))
          return refuseLine("has no positive weight");
        shape.weight = *weight;
        continue;
      }
      auto size = parseNumber<int64_t>(cells[i]);
      if (!size || *size < 1)
        return refuseLine("has no positive size of " + std::string(names[i]));
      shape.sizes.push_back({std::string(names[i]), *size});
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

static Result<std::vector<ListedShape>> parseJsonList(std::string_view text) {
  auto json = TONNO_TRY(parseJson(text));
  std::vector<ListedShape> shapes;
  for (const Json &entry : json) {
    std::string label = "shape " + std::to_string(shapes.size());
    if (!entry.is_object())
      return Error{label + " has no names; write {\"M\": 64}"};
    ListedShape shape;
    for (const auto &[name, value] : entry.items()) {
      bool isWeight = name == weightColumn;
      if (isWeight && value.is_number() && value.get<double>() > 0)
        shape.weight = value.get<double>();
      else if (!isWeight && value.is_number_integer() &&
               value.get<int64_t>() >= 1)
        shape.sizes.push_back({name, value.get<int64_t>()});
      else
        return Error{label + " has no positive number for '" + name + "'"};
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

void tonno::mergeEqual(std::vector<ListedShape> &shapes) {
  std::map<std::vector<int64_t>, size_t> places;
  std::vector<ListedShape> merged;
  for (ListedShape &shape : shapes) {
    std::vector<int64_t> sizes;
    for (const Dimension &size : shape.sizes)
      sizes.push_back(size.size);
    auto [known, isNew] = places.try_emplace(std::move(sizes), merged.size());
    if (isNew)
      merged.push_back(std::move(shape));
    else
      merged[known->second].weight += shape.weight;
  }
  shapes = std::move(merged);
}

Result<Shapes> tonno::parseShapeList(std::string_view text) {
  bool isJson = trim(text).starts_with('[');
  auto listed = TONNO_TRY(isJson ? parseJsonList(text) : parseCsv(text));
  Shapes shapes;
  for (ListedShape &shape : listed) {
    if (shapes.listed.empty())
      for (const Dimension &size : shape.sizes)
        shapes.ranges.push_back({size.name, size.size, size.size});
    bool isSame = std::ranges::equal(shape.sizes, shapes.ranges, {},
                                     &Dimension::name, &SizeRange::name);
    if (!isSame || shape.sizes.empty())
      return Error{"all shapes need sizes of the same dimensions, in the same "
                   "order"};
    for (size_t i = 0; i < shape.sizes.size(); ++i) {
      SizeRange &range = shapes.ranges[i];
      range.low = std::min(range.low, shape.sizes[i].size);
      range.high = std::max(range.high, shape.sizes[i].size);
    }
    shapes.listed.push_back(std::move(shape));
  }
  if (shapes.listed.empty())
    return Error{"no shapes are listed"};
  mergeEqual(shapes.listed);
  return shapes;
}

Result<Shapes> tonno::parseStatedShapes(std::string_view text) {
  return trim(text).starts_with('[') ? parseShapeList(text) : parseShapes(text);
}

Shapes tonno::joinShapes(const Shapes &known, const Shapes &added) {
  if (known.listed.empty() != added.listed.empty() ||
      !std::ranges::equal(known.ranges, added.ranges, {}, &SizeRange::name,
                          &SizeRange::name))
    return added;
  Shapes joined = added;
  for (size_t i = 0; i < joined.ranges.size(); ++i) {
    SizeRange &range = joined.ranges[i];
    range.low = std::min(range.low, known.ranges[i].low);
    range.high = std::max(range.high, known.ranges[i].high);
  }
  if (joined.weights.empty())
    joined.weights = known.weights;
  for (const ListedShape &shape : known.listed)
    if (std::ranges::find(added.listed, shape.sizes, &ListedShape::sizes) ==
        added.listed.end())
      joined.listed.push_back(shape);
  return joined;
}

std::string tonno::formatShapes(const Shapes &shapes) {
  if (!shapes.listed.empty()) {
    Json list = Json::array();
    for (const ListedShape &shape : shapes.listed) {
      Json entry = {{weightColumn, shape.weight}};
      for (const Dimension &size : shape.sizes)
        entry[size.name] = size.size;
      list.push_back(std::move(entry));
    }
    return list.dump();
  }
  std::string text;
  for (const SizeRange &range : shapes.ranges) {
    text += (text.empty() ? "" : ", ") + range.name + "=" +
            std::to_string(range.low);
    if (range.high > range.low)
      text += ".." + std::to_string(range.high);
  }
  for (const ShapeWeight &each : shapes.weights)
    text += ", weight " + Json(each.weight).dump() + " for " + each.condition;
  return text;
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

void tonno::mapFields(JsonFields &fields, ListedShape &shape) {
  fields("sizes", shape.sizes);
  fields("weight", shape.weight);
}

void tonno::mapFields(JsonFields &fields, Shapes &shapes) {
  fields("ranges", shapes.ranges);
  fields.list("weights", shapes.weights);
  fields.list("listed", shapes.listed);
}
