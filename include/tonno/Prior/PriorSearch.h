//===- A search that begins with a prior ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_PRIOR_PRIORSEARCH_H
#define TONNO_PRIOR_PRIORSEARCH_H

#include "tonno/Prior/Prior.h"
#include "tonno/Search/SearchStrategy.h"

namespace tonno {

class PriorPool;

/// Proposes first what a prior expects to be fastest, then what another
/// strategy proposes. Both observe all trials.
///
/// Which sources of the prior tell the truth is not known: all of them, those
/// of one chip, or none. Each proposal is made under one of these hypotheses,
/// drawn by its probability given what was observed (W. R. Thompson, "On the
/// likelihood that one unknown probability exceeds another", 1933).
class PriorSearch : public SearchStrategy {
public:
  struct Options {
    size_t most = 8;       ///< proposals by the prior
    double optimism = 0.5; ///< deviations by which a prediction may be too high
    double ofAll = 0.8;  ///< probability of all sources, before any trial, ...
    double ofNone = 0.1; ///< and of none; chips share what is left
  };

  PriorSearch(std::shared_ptr<const LegalSpace> space, const Prior &prior,
              PriorTask task, std::unique_ptr<SearchStrategy> strategy,
              uint64_t seed, Options options);
  PriorSearch(std::shared_ptr<const LegalSpace> space, const Prior &prior,
              PriorTask task, std::unique_ptr<SearchStrategy> strategy,
              uint64_t seed)
      : PriorSearch(std::move(space), prior, std::move(task),
                    std::move(strategy), seed, Options()) {}

  ~PriorSearch() override;

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

  /// Returns true if a source of the prior is related to the kernel.
  bool knowsKernel() const;
  /// Returns the number of proposals of the prior, which grows.
  std::shared_ptr<const size_t> proposed() const { return numProposed; }

private:
  struct Hypothesis;

  void addHypothesis(const Prior &prior, const PriorTask &task,
                     std::string name, double probability);
  const Hypothesis &draw();
  std::optional<Configuration> next();

  Options options;
  std::vector<Hypothesis> hypotheses;
  std::unique_ptr<PriorPool> pool;
  Random random;
  std::unique_ptr<SearchStrategy> strategy;
  std::unordered_map<Configuration, std::string, ConfigurationHash> reasons;
  std::optional<double> firstRatio;
  std::shared_ptr<size_t> numProposed = std::make_shared<size_t>(0);
};

/// Returns the task of a space's kernel on a chip.
PriorTask makePriorTask(const SearchSpace &space, KernelFeatures features,
                        std::string chip);

} // namespace tonno

#endif // TONNO_PRIOR_PRIORSEARCH_H
