//===- A search that begins with a prior ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_PRIOR_PRIORSEARCH_H
#define TONNO_PRIOR_PRIORSEARCH_H

#include "tonno/Prior/PriorModel.h"
#include "tonno/Search/CandidatePool.h"
#include "tonno/Search/SearchStrategy.h"

namespace tonno {

/// Proposes what a prior expects to be fastest, as long as it tells the truth,
/// and else what another strategy proposes. Both observe all trials.
///
/// A prior's proposals end after `most`; before that, each is made with the
/// probability that what was observed has to follow from the sources, by its
/// likelihood with and without them.
class PriorSearch : public SearchStrategy {
public:
  struct Options {
    size_t most = 8;
    double caution = 0.5; ///< deviations by which a prediction may be too high
    /// Odds that the sources tell the truth before anything is observed.
    double odds = 1e9;
  };

  PriorSearch(std::shared_ptr<const LegalSpace> space, const Prior &prior,
              PriorTask task, std::unique_ptr<SearchStrategy> strategy,
              uint64_t seed, Options options);

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

  /// Returns the number of proposals of the prior so far.
  size_t numOfPrior() const { return reasons.size(); }

private:
  std::optional<Configuration> next();
  std::vector<Json> values(const Configuration &point) const;
  double trust() const;

  Options options;
  std::string name; ///< of the prior
  PriorModel model;
  std::vector<size_t> knobOrder; ///< places of the task's knobs in the space
  FreshPoints fresh;
  Encoding encoding;
  Random random;
  std::unique_ptr<SearchStrategy> strategy;
  std::unordered_map<Configuration, std::string, ConfigurationHash> reasons;
  std::unordered_set<Configuration, ConfigurationHash> pending;
  std::optional<double> firstRatio;
};

/// Returns the task of a space's kernel on a chip.
PriorTask makePriorTask(const SearchSpace &space, KernelFeatures features,
                        std::string chip);

} // namespace tonno

#endif // TONNO_PRIOR_PRIORSEARCH_H
