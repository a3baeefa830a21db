//===- A search that a proposer takes part in -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_PROPOSERSEARCH_H
#define TONNO_SEARCH_PROPOSERSEARCH_H

#include "tonno/Search/SearchStrategy.h"
#include "tonno/Space/Random.h"

#include <functional>

namespace tonno {

/// Proposes configurations of a proposer, such as an expert's list, and those
/// of a strategy. Both learn from all trials.
///
/// Which of them makes a proposal is drawn by the probability that its
/// proposals are the better ones (W. R. Thompson, "On the likelihood that one
/// unknown probability exceeds another", 1933). A trial counts for the
/// side that proposed it by its rank among all trials; only the fastest count
/// for much. The proposer makes at most half of the proposals.
class ProposerSearch : public SearchStrategy {
public:
  /// Returns legal configurations, known or not, given all trials so far.
  using Proposer =
      std::function<std::vector<Configuration>(std::span<const Trial> trials)>;

  ProposerSearch(Proposer proposer, std::unique_ptr<SearchStrategy> strategy,
                 uint64_t seed)
      : proposer(std::move(proposer)), strategy(std::move(strategy)),
        random(seed) {}

  std::vector<Configuration> propose(size_t n) override;
  void observe(std::span<const Trial> trials) override;
  void survey(std::span<const Trial> compiled) override {
    strategy->survey(compiled);
  }
  size_t choose(std::span<const Trial> compiled) override {
    return strategy->choose(compiled);
  }
  std::string explain(const Configuration &candidate) const override;
  bool hasConverged() const override { return strategy->hasConverged(); }
  std::optional<double> expectedGain() const override {
    return strategy->expectedGain();
  }

private:
  /// Successes and failures of one side, with those assumed before any trial.
  struct Record {
    double successes = 1, failures = 1;
    size_t proposed = 0;
  };

  double draw(const Record &record);
  bool isProposersTurn();
  std::optional<Configuration> next();
  void judge(const Trial &trial);

  Proposer proposer;
  std::unique_ptr<SearchStrategy> strategy;
  Random random;
  std::deque<Configuration> queue; ///< of the proposer, not proposed yet
  size_t answersInVain = 0;        ///< of the proposer, in a row
  size_t askedAgainAt = 0;         ///< number of trials
  Record ofProposer = {1, 3, 0}, ofStrategy;
  std::vector<Trial> observed;
  std::vector<double> ratios; ///< of observed trials, sorted
  size_t failed = 0;          ///< observed trials without a ratio
  std::unordered_set<Configuration, ConfigurationHash> seen, external;
};

} // namespace tonno

#endif // TONNO_SEARCH_PROPOSERSEARCH_H
