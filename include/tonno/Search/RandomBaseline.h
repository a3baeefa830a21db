//===- What random search is expected to find -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_RANDOMBASELINE_H
#define TONNO_SEARCH_RANDOMBASELINE_H

#include "tonno/Search/Recording.h"

namespace tonno {

/// What drawing a recording's points uniformly, none twice, is expected to
/// find, exactly: nothing is drawn. Draws that fail find nothing; a run that
/// has found nothing counts as the slowest valid time.
class RandomBaseline {
public:
  explicit RandomBaseline(const Recording &recording);

  /// Of the best time after so many draws.
  double expectedSeconds(size_t draws) const;
  /// Of the optimum's share of that: 0 while nothing was found.
  double expectedFraction(size_t draws) const;

  /// The chance that none of so many draws is within this factor (1.05) of the
  /// optimum.
  double missProbability(double factor, size_t draws) const;
  /// All draws that runs of up to `cap` take to get there, over the number of
  /// those that get there.
  double drawsUntil(double factor, size_t cap) const;

  /// When the comparison of the score (below) ends: the first number of draws
  /// after which 95 % of the way from the median valid time to the optimum is
  /// expected to be done; at least 20, but no more than there are points.
  size_t budget() const { return scoredDraws; }

  /// How a strategy's mean best times after 1, 2, ... trials compare: 0 is as
  /// random, 1 is the optimum at once. The mean, from the tenth trial to the
  /// budget or the end of `best`, of the share of random's distance to the
  /// optimum that is not there any more. (F.-J. Willemsen et al., "A
  /// methodology for comparing optimization algorithms for auto-tuning", 2024,
  /// with trials for time.)
  ///
  /// It ends earlier where less than 1 % of the way from the median to the
  /// optimum is left: a share of next to nothing tells of the seeds alone. None
  /// if that is so from the tenth trial on, as in spaces of few points or one
  /// time, or if `best` has less than ten.
  std::optional<double> score(const std::vector<double> &best) const;

  double worstSeconds() const { return times.back(); }

private:
  double expectedDistance(size_t draws) const; ///< to the optimum, in seconds
  template <typename Value>
  double expected(size_t draws, double ofNothing, Value value) const;

  size_t points;             ///< failed ones among them
  std::vector<double> times; ///< of the valid ones, ascending
  double way = 0;            ///< from the median to the optimum
  size_t scoredDraws = 0;
};

} // namespace tonno

#endif // TONNO_SEARCH_RANDOMBASELINE_H
