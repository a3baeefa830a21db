//===- What is known of a space's points ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_OBSERVATIONS_H
#define TONNO_SEARCH_OBSERVATIONS_H

#include "tonno/Core/Trial.h"

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace tonno {

/// A point that was tried. The ratio is its time over the baseline's, in
/// whatever unit the trials have; none: it failed.
struct Observation {
  Configuration configuration;
  std::optional<double> ratio;

  /// A failure is worse than any time.
  bool isBetterThan(const Observation &other) const {
    return ratio && (!other.ratio || *ratio < *other.ratio);
  }
};

/// What is known of a space's points, in the order in which it was learnt.
class Observations {
public:
  /// Of a point that is known, the last trial counts.
  void add(const Trial &trial);

  std::span<const Observation> all() const { return list; }
  const Observation *find(const Configuration &point) const;
  /// The best one; null: none succeeded.
  const Observation *best() const;
  /// The best `count` of those that succeeded, or as many as there are; of
  /// equal ones the earlier first.
  std::vector<const Observation *> best(size_t count) const;

private:
  std::vector<Observation> list;
  std::unordered_map<Configuration, size_t, ConfigurationHash> places;
};

} // namespace tonno

#endif // TONNO_SEARCH_OBSERVATIONS_H
