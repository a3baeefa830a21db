//===- Search spaces for tests --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TEST_UNIT_SEARCH_SPACES_H
#define TONNO_TEST_UNIT_SEARCH_SPACES_H

#include "tonno/Search/SearchStrategy.h"
#include "tonno/Space/LegalSpace.h"

#include <optional>
#include <set>

namespace tonno {

/// Returns a space with knobs k0, k1, ... of these numbers of options.
inline SearchSpace spaceOf(const std::vector<size_t> &sizes) {
  std::vector<Knob> knobs;
  for (size_t size : sizes) {
    Knob knob{"k" + std::to_string(knobs.size()), {}, 0};
    for (size_t i = 0; i < size; ++i)
      knob.options.emplace_back(i);
    knobs.push_back(std::move(knob));
  }
  return SearchSpace(std::move(knobs));
}

/// Lists the legal points of a space.
inline std::shared_ptr<const LegalSpace> listLegal(const SearchSpace &space) {
  std::vector<Configuration> legal;
  LegalPoints points(space);
  while (auto point = points.next())
    legal.push_back(*std::move(point));
  return LegalSpace::of(space, std::move(legal));
}

/// Returns a trial with this time relative to the baseline, or a failed one.
inline Trial trialOf(const Configuration &point, std::optional<double> ratio) {
  Trial trial;
  trial.configuration = point;
  trial.status = ratio ? Status::ok : Status::wrong;
  if (ratio)
    trial.measurement.emplace().ratio = *ratio;
  return trial;
}

/// Proposes `n` points at a time until the strategy is exhausted, or `limit` is
/// reached.
inline std::vector<Configuration> exhaust(SearchStrategy &strategy, size_t n,
                                          size_t limit = 1000000) {
  std::vector<Configuration> all;
  while (all.size() < limit) {
    std::vector<Configuration> some = strategy.propose(n);
    if (some.empty())
      break;
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

inline size_t countDistinct(const std::vector<Configuration> &points) {
  return std::set<Configuration>(points.begin(), points.end()).size();
}

/// Reports trials of this status to the strategy. They have no measurement, so
/// most strategies take them for failures even if ok; `trialOf` makes a trial
/// with a ratio.
inline void observe(SearchStrategy &strategy,
                    const std::vector<Configuration> &points,
                    Status status = Status::ok) {
  std::vector<Trial> trials;
  for (const Configuration &point : points) {
    trials.emplace_back();
    trials.back().configuration = point;
    trials.back().status = status;
  }
  strategy.observe(trials);
}

} // namespace tonno

#endif // TONNO_TEST_UNIT_SEARCH_SPACES_H
