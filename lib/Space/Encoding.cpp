//===- Encodings of points for models -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Space/Encoding.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ranges>

using namespace tonno;

/// Returns true if the array has each of 0, 1, ..., length - 1 once.
static bool isPermutation(const Option &option, size_t length) {
  if (!option.is_array() || option.size() != length)
    return false;
  std::vector<bool> found(length);
  for (const Json &element : option) {
    if (!element.is_number_integer() || element < 0 || element >= length ||
        found[element.get<size_t>()])
      return false;
    found[element.get<size_t>()] = true;
  }
  return true;
}

static KnobKind classifyKnob(const std::vector<Option> &options) {
  auto all = [&](auto holds) { return std::ranges::all_of(options, holds); };
  if (all([](const Option &option) { return option.is_number(); }))
    return KnobKind::ordered;
  if (all([](const Option &option) { return option.is_boolean(); }))
    return KnobKind::boolean;
  size_t length = options.front().size();
  if (length > 1 &&
      all([&](const Option &option) { return isPermutation(option, length); }))
    return KnobKind::permutation;
  return KnobKind::categorical;
}

/// Powers of two have any gaps; other values have steps of a factor of 1.8 and
/// more, as 1, 2, 4, 7, 14.
static bool multiplies(const std::vector<double> &sorted) {
  if (sorted.front() <= 0)
    return false;
  auto isPower = [](double value) {
    int exponent = 0;
    return std::frexp(value, &exponent) == 0.5;
  };
  if (std::ranges::all_of(sorted, isPower))
    return true;
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i] < 1.8 * sorted[i - 1])
      return false;
  return true;
}

/// Returns the bin, of 256, of a rank among `levels`.
static uint8_t computeBin(size_t rank, size_t levels) {
  return static_cast<uint8_t>(levels <= 256 ? rank : rank * 256 / levels);
}

void Encoding::encodeOrdered(const std::vector<double> &values, Code &code) {
  std::ranges::sort(code.byRank, {}, [&](uint32_t option) {
    return std::pair(values[option], option);
  });
  std::vector<double> sorted;
  for (uint32_t option : code.byRank)
    sorted.push_back(values[option]);
  if (multiplies(sorted))
    for (double &value : sorted)
      value = std::log2(value);
  code.width = 1;
  double range = sorted.back() - sorted.front();
  for (size_t rank = 0; rank < sorted.size(); ++rank) {
    uint32_t option = code.byRank[rank];
    code.ranks[option] = static_cast<uint32_t>(rank);
    code.bins[option] = computeBin(rank, sorted.size());
    code.coordinates[option] =
        static_cast<float>((sorted[rank] - sorted.front()) / range);
  }
}

void Encoding::encodeListed(size_t options, Code &code) {
  code.width = options;
  code.bins.assign(options * options, 0);
  code.coordinates.assign(options * options, 0);
  for (size_t option = 0; option < options; ++option) {
    code.bins[(option * options) + option] = 1;
    code.coordinates[(option * options) + option] = std::sqrt(0.5F);
  }
}

void Encoding::encodePermutations(const std::vector<Option> &options,
                                  Code &code) {
  size_t length = options.front().size();
  code.width = length;
  code.bins.assign(options.size() * length, 0);
  code.coordinates.assign(options.size() * length, 0);
  // The reverse is farthest: sum over i of (n - 1 - 2i)^2 = (n^3 - n) / 3.
  auto n = static_cast<float>(length);
  float farthest = std::sqrt(((n * n * n) - n) / 3);
  for (size_t option = 0; option < options.size(); ++option)
    for (size_t place = 0; place < length; ++place) {
      size_t cell = (option * length) + options[option][place].get<size_t>();
      code.bins[cell] = computeBin(place, length);
      code.coordinates[cell] = static_cast<float>(place) / farthest;
    }
}

Encoding::Code Encoding::encode(const std::vector<Option> &options) {
  Code code;
  code.kind = classifyKnob(options);
  code.byRank.resize(options.size());
  std::iota(code.byRank.begin(), code.byRank.end(), 0);
  code.ranks = code.byRank;
  if (options.size() == 1)
    return code;
  code.bins.resize(options.size());
  code.coordinates.resize(options.size());
  if (code.kind == KnobKind::permutation) {
    encodePermutations(options, code);
    return code;
  }
  if (code.kind == KnobKind::categorical && options.size() <= mostOneHot) {
    encodeListed(options.size(), code);
    return code;
  }
  std::vector<double> values(options.size());
  for (size_t option = 0; option < options.size(); ++option)
    switch (code.kind) {
    case KnobKind::ordered:
      values[option] = options[option].get<double>();
      break;
    case KnobKind::boolean:
      values[option] = options[option].get<bool>() ? 1 : 0;
      break;
    default:
      values[option] = static_cast<double>(option);
    }
  encodeOrdered(values, code);
  return code;
}

void Encoding::addColumns(const Code &code, uint32_t knob) {
  for (size_t column = 0; column < code.width; ++column) {
    uint8_t most = 0;
    for (size_t cell = column; cell < code.bins.size(); cell += code.width)
      most = std::max(most, code.bins[cell]);
    levelsOfColumn.push_back(most + 1U);
    knobOfColumn.push_back(knob);
  }
}

Encoding::Encoding(const SearchSpace &space) {
  for (const Knob &knob : space.knobs()) {
    Code code = encode(knob.options);
    code.firstColumn = columns();
    addColumns(code, static_cast<uint32_t>(codes.size()));
    codes.push_back(std::move(code));
  }
}

std::vector<uint32_t> Encoding::neighbours(size_t knob, uint32_t option,
                                           uint32_t radius) const {
  const Code &code = codes[knob];
  uint32_t place = code.ranks[option];
  auto end = static_cast<uint32_t>(code.ranks.size());
  uint32_t low = 0;
  if (isOrdered(knob)) {
    low = place - std::min(place, radius);
    end = place + 1 + std::min(end - place - 1, radius);
  }
  std::vector<uint32_t> near;
  for (uint32_t rank = low; rank < end; ++rank)
    if (rank != place)
      near.push_back(code.byRank[rank]);
  if (kind(knob) != KnobKind::permutation)
    return near;
  std::vector<uint32_t> exchanged;
  for (uint32_t other : near) {
    size_t moved = 0;
    for (size_t i = 0; i < code.width; ++i)
      moved += code.bins[(option * code.width) + i] !=
               code.bins[(other * code.width) + i];
    if (moved == 2)
      exchanged.push_back(other);
  }
  return exchanged.empty() ? near : exchanged;
}

void Encoding::knobBins(size_t knob, uint32_t option,
                        std::span<uint8_t> row) const {
  const Code &code = codes[knob];
  std::copy_n(code.bins.begin() + static_cast<ptrdiff_t>(option * code.width),
              code.width,
              row.begin() + static_cast<ptrdiff_t>(code.firstColumn));
}

void Encoding::bins(const Configuration &point, std::span<uint8_t> row) const {
  for (size_t knob = 0; knob < codes.size(); ++knob)
    knobBins(knob, point.indices[knob], row);
}

void Encoding::coordinates(const Configuration &point,
                           std::span<float> row) const {
  for (size_t knob = 0; knob < codes.size(); ++knob) {
    const Code &code = codes[knob];
    std::copy_n(code.coordinates.begin() +
                    static_cast<ptrdiff_t>(point.indices[knob] * code.width),
                code.width,
                row.begin() + static_cast<ptrdiff_t>(code.firstColumn));
  }
}

Rows<uint8_t> Encoding::bins(std::span<const Configuration> points) const {
  Rows<uint8_t> rows(columns(), points.size());
  for (size_t i = 0; i < points.size(); ++i)
    bins(points[i], rows[i]);
  return rows;
}

Rows<float> Encoding::coordinates(std::span<const Configuration> points) const {
  Rows<float> rows(columns(), points.size());
  for (size_t i = 0; i < points.size(); ++i)
    coordinates(points[i], rows[i]);
  return rows;
}
