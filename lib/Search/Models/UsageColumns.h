//===- Resource usage as columns ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SEARCH_MODELS_USAGECOLUMNS_H
#define TONNO_LIB_SEARCH_MODELS_USAGECOLUMNS_H

#include "Surrogate.h"

#include "tonno/Core/ResourceUsage.h"

#include <array>
#include <span>
#include <vector>

namespace tonno {

/// The members of ResourceUsage that bear on time as columns of a model, beside
/// those of an Encoding: time bound, occupancy, registers, spills and shared
/// memory, as far as they differ among the points. Numbers of instructions and
/// sizes of code, stack and workspace are left out: they bear less on time. To
/// trees columns are ranks, to a Gaussian process coordinates in [0, 1]. A
/// point of which a number is not known has the median.
class UsageColumns {
public:
  /// Creates the columns in which these points differ.
  explicit UsageColumns(std::span<const ResourceUsage> usages);

  size_t columns() const { return kept.size(); }

  /// Returns the points with columns of their usages behind the others.
  EncodedPoints append(const EncodedPoints &points,
                       std::span<const ResourceUsage> usages) const;

  /// Returns the knobs of an Encoding's columns, with one more for each column
  /// here.
  std::vector<uint32_t> columnKnobs(const Encoding &encoding) const;

private:
  static constexpr size_t numMembers = 5;
  using Row = std::array<double, numMembers>; ///< NaN where not known

  static Row readRow(const ResourceUsage &usage);

  struct Column {
    size_t member;
    double median;
    std::vector<double> values; ///< sorted, each once
  };
  std::vector<Column> kept;
};

} // namespace tonno

#endif // TONNO_LIB_SEARCH_MODELS_USAGECOLUMNS_H
