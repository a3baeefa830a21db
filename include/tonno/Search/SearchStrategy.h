//===- The interface of search strategies ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_SEARCHSTRATEGY_H
#define TONNO_SEARCH_SEARCHSTRATEGY_H

#include "tonno/Core/Result.h"
#include "tonno/Core/Trial.h"
#include "tonno/Space/LegalSpace.h"

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tonno {

/// Proposes candidates and learns from their trials. Deterministic for a seed
/// and a sequence of calls.
class SearchStrategy {
public:
  virtual ~SearchStrategy() = default;

  /// Returns up to n configurations: legal, distinct, and never proposed
  /// before. None, while proposed candidates are pending, may mean "not yet";
  /// with nothing pending it ends the search: nothing is left, or the strategy
  /// has converged.
  virtual std::vector<Configuration> propose(size_t n) = 0;

  /// Reports the outcomes of proposed candidates, in any order, including
  /// failures; and that of the baseline, which is not to be proposed.
  virtual void observe(std::span<const Trial> trials) = 0;

  /// Reports proposed candidates that were compiled, and may be measured or
  /// not. Each has the usage of its binary, and no measurement.
  virtual void survey(std::span<const Trial> compiled) {}

  /// Returns the index of the candidate to measure next, of at least one that
  /// was reported to `survey` and not observed.
  virtual size_t choose(std::span<const Trial> compiled) { return 0; }

  /// Returns why a candidate that is not observed yet was proposed, in a few
  /// words; empty if there is no reason but the order.
  virtual std::string explain(const Configuration &candidate) const {
    return {};
  }

  /// Returns true if the strategy stopped because it expects too little of the
  /// remaining points, rather than because no points remain.
  virtual bool hasConverged() const { return false; }

  /// Returns the largest gain over the best that the strategy expects of a
  /// candidate, as a share of the best's time; none if it does not know.
  virtual std::optional<double> expectedGain() const { return {}; }
};

/// A known point, and the reason why it is worth a trial.
struct StartingPoint {
  Configuration configuration;
  std::string reason = {};

  bool operator==(const StartingPoint &) const = default;
};

/// Proposes given points first, in their order, then what another strategy
/// proposes, but none twice.
class StartingPoints : public SearchStrategy {
public:
  /// Proposes the points, which must be legal points of the space, before those
  /// of the strategy.
  StartingPoints(std::vector<StartingPoint> points,
                 std::unique_ptr<SearchStrategy> strategy)
      : points(points.begin(), points.end()), strategy(std::move(strategy)) {}
  StartingPoints(std::vector<Configuration> points,
                 std::unique_ptr<SearchStrategy> strategy);

  std::vector<Configuration> propose(size_t n) override;
  void observe(std::span<const Trial> trials) override;
  void survey(std::span<const Trial> compiled) override {
    strategy->survey(compiled);
  }
  size_t choose(std::span<const Trial> compiled) override;
  std::string explain(const Configuration &candidate) const override;
  bool hasConverged() const override { return strategy->hasConverged(); }
  std::optional<double> expectedGain() const override {
    return strategy->expectedGain();
  }

private:
  std::deque<StartingPoint> points; ///< still to be proposed
  std::unique_ptr<SearchStrategy> strategy;
  /// Points that were proposed, or were observed before.
  std::unordered_set<Configuration, ConfigurationHash> seen;
  /// The reasons for which points were proposed.
  std::unordered_map<Configuration, std::string, ConfigurationHash> reasons;
};

/// Proposes every legal point of the space once, in the order of
/// SearchSpace::at.
class ExhaustiveSearch : public SearchStrategy {
public:
  explicit ExhaustiveSearch(const LegalSpace &space);

  std::vector<Configuration> propose(size_t n) override;
  void observe(std::span<const Trial> trials) override;

private:
  std::optional<Configuration> next();

  std::optional<LegalPoints> points; ///< unless the space is a list
  std::vector<Configuration> listed; ///< the last one first
  std::unordered_set<Configuration, ConfigurationHash> observed;
};

/// The name of the default strategy.
inline constexpr std::string_view ensembleName = "ensemble";

/// Creates the default strategy: several models rank a pool of candidates.
std::unique_ptr<SearchStrategy>
createEnsembleSearch(std::shared_ptr<const LegalSpace> space, uint64_t seed);

} // namespace tonno

#endif // TONNO_SEARCH_SEARCHSTRATEGY_H
