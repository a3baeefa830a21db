//===- Resource usage as columns ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "UsageColumns.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tonno;

UsageColumns::Row UsageColumns::readRow(const ResourceUsage &usage) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  auto count = [](const std::optional<uint64_t> &number) {
    return number ? std::log1p(static_cast<double>(*number)) : unknown;
  };
  return {usage.timeBound && usage.timeBound->seconds > 0
              ? std::log(usage.timeBound->seconds)
              : unknown,
          usage.occupancy.value_or(unknown), count(usage.registers),
          count(usage.spillBytes), count(usage.sharedBytes)};
}

UsageColumns::UsageColumns(std::span<const ResourceUsage> usages) {
  std::vector<Row> rows;
  for (const ResourceUsage &usage : usages)
    rows.push_back(readRow(usage));
  for (size_t member = 0; member < numMembers; ++member) {
    Column column = {member, 0, {}};
    for (const Row &row : rows)
      if (!std::isnan(row[member]))
        column.values.push_back(row[member]);
    if (column.values.empty())
      continue;
    std::ranges::sort(column.values);
    column.median = column.values[column.values.size() / 2];
    column.values.erase(std::ranges::unique(column.values).begin(),
                        column.values.end());
    if (column.values.size() > 1)
      kept.push_back(std::move(column));
  }
}

EncodedPoints
UsageColumns::append(const EncodedPoints &points,
                     std::span<const ResourceUsage> usages) const {
  size_t before = points.bins.columns();
  Rows<uint8_t> bins(before + columns(), points.bins.size());
  Rows<float> coordinates(before + columns(), points.bins.size());
  for (size_t i = 0; i < usages.size(); ++i) {
    std::ranges::copy(points.bins[i], bins[i].begin());
    std::ranges::copy(points.coordinates[i], coordinates[i].begin());
    Row row = readRow(usages[i]);
    for (size_t k = 0; k < kept.size(); ++k) {
      const Column &column = kept[k];
      double value =
          std::isnan(row[column.member]) ? column.median : row[column.member];
      auto rank =
          static_cast<size_t>(std::ranges::lower_bound(column.values, value) -
                              column.values.begin());
      size_t levels = column.values.size();
      bins[i][before + k] = static_cast<uint8_t>(
          levels <= 256 ? std::min<size_t>(rank, 255) : rank * 255 / levels);
      double range = column.values.back() - column.values.front();
      coordinates[i][before + k] =
          static_cast<float>((value - column.values.front()) / range);
    }
  }
  return {std::move(bins), std::move(coordinates)};
}

std::vector<uint32_t>
UsageColumns::columnKnobs(const Encoding &encoding) const {
  std::vector<uint32_t> knobs(encoding.columnKnobs().begin(),
                              encoding.columnKnobs().end());
  for (size_t i = 0; i < columns(); ++i)
    knobs.push_back(static_cast<uint32_t>(encoding.knobs() + i));
  return knobs;
}
