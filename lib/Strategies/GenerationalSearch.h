//===- Strategies by generations ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_STRATEGIES_GENERATIONALSEARCH_H
#define TONNO_LIB_STRATEGIES_GENERATIONALSEARCH_H

#include "tonno/Search/CandidatePool.h"
#include "tonno/Search/SearchStrategy.h"
#include "tonno/Space/Encoding.h"

#include <deque>

namespace tonno {

/// A strategy that proceeds when all points of a generation were observed. Does
/// not wait for pending points if more are requested: the next generation then
/// begins with the points observed so far, or, if these do not suffice, points
/// are drawn uniformly. `propose` may return fewer points than requested, since
/// those of the next generation depend on these.
class GenerationalSearch : public SearchStrategy {
public:
  std::vector<Configuration> propose(size_t n) final;
  void observe(std::span<const Trial> trials) final;

protected:
  GenerationalSearch(std::shared_ptr<const LegalSpace> space, uint64_t seed)
      : encoding(space->space()), fresh(std::move(space)), random(seed) {}

  /// Returns the points to try next; known or pending points are left out and
  /// need not be tried again. If `isComplete`, all proposed points were
  /// observed; otherwise may be called again without new observations, and an
  /// empty result can mean: not yet. Returns none at the end of the search.
  virtual std::optional<std::vector<Configuration>>
  nextGeneration(bool isComplete) = 0;

  /// Draws `count` distinct fresh points uniformly, or all if there are fewer.
  std::vector<Configuration> drawFresh(size_t count);

  Encoding encoding;
  FreshPoints fresh;
  Observations observations;
  Random random;

private:
  void refill();

  std::deque<Configuration> queue; ///< of the generation, not proposed yet
  std::unordered_set<Configuration, ConfigurationHash> pending;
  bool hasEnded = false;
};

} // namespace tonno

#endif // TONNO_LIB_STRATEGIES_GENERATIONALSEARCH_H
