//===- Given points first -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_STARTINGPOINTS_H
#define TONNO_SEARCH_STARTINGPOINTS_H

#include "tonno/Search/SearchStrategy.h"

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace tonno {

/// A point that somebody knows of, and why it is worth a trial.
struct StartingPoint {
  Configuration configuration;
  std::string reason = {};

  bool operator==(const StartingPoint &) const = default;
};

/// Proposes given points first, in their order, then what another strategy
/// proposes, but none twice.
class StartingPoints : public SearchStrategy {
public:
  /// The points are of the space and legal.
  StartingPoints(std::vector<StartingPoint> points,
                 std::unique_ptr<SearchStrategy> strategy)
      : points(points.begin(), points.end()), strategy(std::move(strategy)) {}
  StartingPoints(std::vector<Configuration> points,
                 std::unique_ptr<SearchStrategy> strategy);

  std::vector<Configuration> propose(size_t n) override;
  void observe(std::span<const Trial> trials) override;
  std::string explain(const Configuration &candidate) const override;
  bool hasConverged() const override { return strategy->hasConverged(); }

private:
  std::deque<StartingPoint> points; ///< still to be proposed
  std::unique_ptr<SearchStrategy> strategy;
  /// Points that were proposed, and what was observed before they could be.
  std::unordered_set<Configuration, ConfigurationHash> seen;
  /// Of points that were proposed.
  std::unordered_map<Configuration, std::string, ConfigurationHash> reasons;
};

} // namespace tonno

#endif // TONNO_SEARCH_STARTINGPOINTS_H
