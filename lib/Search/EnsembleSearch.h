//===- Ensemble of models over one pool -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SEARCH_ENSEMBLESEARCH_H
#define TONNO_LIB_SEARCH_ENSEMBLESEARCH_H

#include "tonno/Search/CandidatePool.h"
#include "tonno/Search/SearchStrategy.h"
#include "Models/Surrogate.h"

#include <deque>
#include <unordered_map>

namespace tonno {

/// Chooses legal points one by one, each as far from all before as some draws
/// allow (greedy maximin).
class SpreadPoints {
public:
  /// Adds a point that others are to be far from.
  void avoid(const Configuration &point, const Encoding &encoding);

  /// Returns the next point, or none if no fresh point was drawn.
  std::optional<Configuration> next(FreshPoints &fresh,
                                    const Encoding &encoding, Random &random);

private:
  struct Draw {
    Configuration point;
    double distance; ///< from the nearest of those before
  };

  std::vector<Configuration> before;
  std::vector<Draw> draws;
};

/// Begins with points far from each other; then fits several models to all
/// observations, has each rank a pool of candidates, and proposes those with
/// the best sum of ranks. A pending candidate counts with the quality predicted
/// by a small forest. A few random points guard against misleading models.
/// Converges, and stops proposing, once the models have predicted hardly any
/// gain for a while and no better point was found for long.
class EnsembleSearch : public SearchStrategy {
public:
  struct Options {
    std::vector<SurrogateFactory *> models = {createForestSurrogate,
                                              createClassifierSurrogate,
                                              createProcessSurrogate};
    size_t start = 8;           ///< points before the first model
    size_t trialsPerBatch = 16; ///< a batch grows by one for this many trials
    size_t mostBatch = 8;       ///< candidates for one fit
    double randomShare = 0.04;  ///< of the proposals
    /// Goes on while a model predicts more than this gain for a candidate, as a
    /// share of the best, ...
    double leastImprovement = 0.01;
    /// ... or for this many trials after the best was last improved by 0.2 %.
    size_t patience = 100;
    CandidatePool::Options pool;
  };

  EnsembleSearch(std::shared_ptr<const LegalSpace> space, uint64_t seed,
                 const Options &options);
  EnsembleSearch(std::shared_ptr<const LegalSpace> space, uint64_t seed)
      : EnsembleSearch(std::move(space), seed, Options()) {}

  std::vector<Configuration> propose(size_t n) override;
  void observe(std::span<const Trial> trials) override;
  void survey(std::span<const Trial> compiled) override;
  size_t choose(std::span<const Trial> compiled) override;
  std::string explain(const Configuration &point) const override;
  bool hasConverged() const override;
  /// The largest of the last plans: the pool of a single one may have missed
  /// good points.
  std::optional<double> expectedGain() const override;

private:
  struct Planned {
    Configuration point;
    std::string reason;
  };

  std::optional<Planned> next();
  bool isStarting() const;
  size_t batchSize() const;
  bool hasImproved() const;
  void plan();
  TrainingSet trainingSet();
  std::vector<double> predictQualities(const TrainingSet &known,
                                       const EncodedPoints &points);
  Planned describe(PoolMember member, size_t pool,
                   std::span<const std::vector<double>> ranks,
                   size_t index) const;

  Options options;
  Encoding encoding;

protected:
  FreshPoints fresh;

private:
  Random random;
  Observations observations;
  SpreadPoints spread;
  std::vector<std::unique_ptr<Surrogate>> surrogates;
  std::deque<Planned> planned;
  size_t modestPlans = 0;           ///< in a row that expected next to nothing
  std::deque<double> expectedGains; ///< by the last plans
  /// The best point that counts as an improvement, and at how many
  /// observations. Its ratio may be observed anew, on another scale.
  std::optional<Configuration> improved;
  size_t improvedAt = 0;
  /// Proposed and not observed, with the reasons; but for those below.
  std::vector<Planned> pending;
  /// Compiled and not observed, with the reasons.
  std::unordered_map<Configuration, std::string, ConfigurationHash>
      compiledOnes;
  /// Resource usage of observed points.
  std::unordered_map<Configuration, ResourceUsage, ConfigurationHash> usages;
  /// Models that rank compiled candidates by their resource usage, too.
  std::vector<std::unique_ptr<Surrogate>> choosers;
  size_t usageColumns = 0; ///< of these
};

} // namespace tonno

#endif // TONNO_LIB_SEARCH_ENSEMBLESEARCH_H
