//===- How good a search was on recorded spaces ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_REPLAYSCORE_H
#define TONNO_SEARCH_REPLAYSCORE_H

#include "tonno/Search/RandomBaseline.h"
#include "tonno/Search/Replay.h"

#include "tonno/Core/Statistics.h"

#include <array>
#include <span>

namespace tonno {

/// After how many trials the best is looked at.
inline constexpr std::array<size_t, 5> scoredTrials = {25, 50, 100, 200, 400};

/// What a run took until its best was within a share of the optimum.
struct GoalCost {
  bool isReached = false;
  double trials = 0;  ///< of one that never was: the whole budget's, as far as
                      ///< the space has points
  double seconds = 0; ///< the same, recorded ones
};

/// A run, as it is compared with others.
struct RunScore {
  /// After each trial of the budget, as far as the space has points or
  /// fractions are asked for, in seconds; infinite while there is none. What
  /// ended early stays as it was.
  std::vector<double> best;
  GoalCost within5, within1; ///< percent of the optimum
  size_t trials = 0;         ///< that it ran
  double seconds = 0;        ///< recorded, of these
  double proposingSeconds = 0;
};

/// `options` are those of the run, with its budgets, the same for all that are
/// compared. A run that ended early without reaching a goal counts as if it had
/// gone on in vain, at its mean cost, until a budget was spent.
RunScore scoreRun(const ReplayRun &run, const Recording &recording,
                  const ReplayOptions &options);

/// What runs took to reach a goal.
struct GoalScore {
  size_t runs = 0, reached = 0;
  /// All trials, also of runs that failed, over the runs that reached it: how
  /// long it takes if one starts anew until it is reached. Of half a run, where
  /// none did: more is not known.
  double trials = 0;
  double seconds = 0;      ///< the same of recorded ones
  double medianTrials = 0; ///< where runs that failed count the whole budget
};

GoalScore scoreGoal(std::span<const GoalCost> costs);

/// A strategy on one recording, over all seeds.
struct SpaceScore {
  /// Mean share of the optimum after scoredTrials, as far as the budget goes.
  std::vector<double> fractions;
  GoalScore within5, within1;
  std::optional<double> score; ///< RandomBaseline's
  double finalSeconds = 0; ///< geometric mean of the best at the end; infinite
                           ///< if a run found nothing
  double proposingSeconds = 0; ///< for a trial
};

SpaceScore scoreSpace(const Recording &recording,
                      const RandomBaseline &baseline,
                      std::span<const RunScore> runs);

/// One strategy's figure over another's.
struct RatioEstimate {
  double ratio = 1;
  Interval interval; ///< 95 %, by resampling the seeds
};

/// Which cost of a goal is compared.
using GoalFigure = double GoalScore::*;

/// Of a strategy, by space and seed.
using GoalCosts = std::vector<std::vector<GoalCost>>;

GoalCosts costsOf(std::span<const std::vector<RunScore>> spaces,
                  GoalCost RunScore::*goal);

/// The geometric mean over spaces of one's GoalScore over the other's, of which
/// spaces and seeds belong together.
RatioEstimate compareGoals(const GoalCosts &one, const GoalCosts &other,
                           GoalFigure figure);

double geometricMean(std::span<const double> values);

} // namespace tonno

#endif // TONNO_SEARCH_REPLAYSCORE_H
