//===- Searches on recorded spaces ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_REPLAY_H
#define TONNO_SEARCH_REPLAY_H

#include "tonno/Core/Statistics.h"
#include "tonno/Search/Recording.h"
#include "tonno/Search/SearchStrategy.h"

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <span>

namespace tonno {

/// Use that a search makes of the usage of compiled candidates.
struct StaticUse {
  /// Candidates that are compiled for each that is measured. If it is not 1,
  /// the strategy chooses among all that were compiled, and one is pending.
  size_t compileAhead = 1;
  /// Candidates whose time bound exceeds the best time by `boundMargin` are not
  /// measured, until a time is less than its bound.
  bool usesBounds = false;
  double boundNoise = 0; ///< relative error of bounds, lognormal
};

/// Options for searching a recording: at least one trial, and at least one
/// pending.
struct ReplayOptions {
  size_t trials = 400;
  /// Recorded; no trial begins when they are spent.
  double seconds = std::numeric_limits<double>::infinity();
  /// Ends a run once its best time is at most this multiple of the optimum; 0:
  /// never.
  double enough = 0;
  /// The number of candidates proposed before the oldest of them is observed.
  size_t pending = 1;
  /// The strategy sees times with this relative error, lognormal.
  double noise = 0;
  /// If not 0, finals choose the best, as in a session: of up to 64 trials that
  /// seemed to be within six times the noise of the best, the fastest after
  /// measuring all of them with this relative error. Finals cost nothing.
  double finalNoise = 0;
  uint64_t seed = 0; ///< of the noise
  StaticUse use = {};
};

/// A trial of a replay, and the state after it.
struct ReplayStep {
  size_t trial = 0; ///< index in Recording::trials
  /// The recorded time of the best trial, the best as the strategy saw it or as
  /// finals would, in seconds; infinite while none was ok. With noise it may
  /// rise.
  double best = std::numeric_limits<double>::infinity();
  double spent = 0; ///< recorded seconds of all trials so far, failed ones too
};

struct ReplayRun {
  std::vector<ReplayStep> steps;
  double proposingSeconds = 0; ///< of this machine, within the strategy
  size_t compiled = 0;         ///< candidates, those not measured among them
  size_t bounded = 0;          ///< that were not measured for their bounds
  bool hasEnded = false; ///< the strategy proposed no more before the budget
                         ///< was spent
};

/// Runs a new strategy on the recording. Fails if the strategy proposes a
/// candidate that was not recorded, or twice: the legal points are the recorded
/// ones.
///
/// Trials report the recorded seconds as the ratio that the strategy ranks by;
/// there is no baseline.
Result<ReplayRun> replay(const Recording &recording, SearchStrategy &strategy,
                         const ReplayOptions &options);

/// The exact expectation of drawing a recording's points uniformly without
/// replacement, without sampling. Failed points have no time; a run without a
/// valid time counts as the slowest valid time.
class RandomBaseline {
public:
  explicit RandomBaseline(const Recording &recording);

  /// Returns the expected best time after n draws.
  double expectedSeconds(size_t draws) const;
  /// Returns the expected ratio of the optimum to the best time after n draws;
  /// 0 as long as no valid time was found.
  double expectedFraction(size_t draws) const;

  /// Returns the probability that none of n draws is within this factor (1.05)
  /// of the optimum.
  double missProbability(double factor, size_t draws) const;
  /// Returns the total draws of runs of up to `cap` draws, divided by the
  /// number of runs that reach the goal.
  double drawsUntil(double factor, size_t cap) const;

  /// Returns the number of draws at which the comparison of the score (below)
  /// ends: the first after which 95 % of the way from the median valid time to
  /// the optimum is expected to be done; at least 20, but no more than there
  /// are points.
  size_t budget() const { return scoredDraws; }

  /// Scores a strategy's mean best times after 1, 2, ... trials: 0 equals
  /// random search, 1 is the optimum at once. The score is the mean, from the
  /// tenth trial to the budget or the end of `best`, of the share of random
  /// search's distance to the optimum that the strategy has covered. (F.-J.
  /// Willemsen et al., "A methodology for comparing optimization algorithms for
  /// auto-tuning", 2024, with trials for time.)
  ///
  /// The mean ends earlier once random search is within 1 % of the distance
  /// from the median to the optimum, since shares of so small a distance
  /// reflect the seeds alone. Returns none if that holds from the tenth trial
  /// on, as in spaces with few points or equal times, or if `best` has fewer
  /// than ten.
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

/// After how many trials the best is looked at.
inline constexpr std::array<size_t, 5> scoredTrials = {25, 50, 100, 200, 400};

/// Cost of a run until its best time was within a share of the optimum.
struct GoalCost {
  bool isReached = false;
  double trials = 0;  ///< of one that never was: the whole budget's, as far as
                      ///< the space has points
  double seconds = 0; ///< the same, recorded ones
};

/// A run, as it is compared with others.
struct RunScore {
  /// The best time after each trial, in seconds, up to the budget, the number
  /// of points or the largest of `scoredTrials`; infinite before the first
  /// valid time. Constant after the end of a run that stopped early.
  std::vector<double> best;
  GoalCost within5, within1; ///< percent of the optimum
  size_t trials = 0;         ///< that it ran
  double seconds = 0;        ///< recorded, of these
  double proposingSeconds = 0;
};

/// Scores a run; `options` are those of the run, with its budgets, equal for
/// all compared runs. A run that ended early without reaching a goal counts as
/// if it had continued in vain, at its mean cost, until a budget was spent.
RunScore scoreRun(const ReplayRun &run, const Recording &recording,
                  const ReplayOptions &options);

/// Aggregated cost of runs until they reach a goal.
struct GoalScore {
  size_t runs = 0, reached = 0;
  /// The trials of all runs, including failed ones, over the number of runs
  /// that reached the goal: the expected cost with restarts. If none did,
  /// divides by half a run.
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

/// The ratio of two strategies' figures.
struct RatioEstimate {
  double ratio = 1;
  Interval interval; ///< 95 %, by resampling the seeds
};

/// The cost of a goal that is compared.
using GoalFigure = double GoalScore::*;

/// A strategy's costs, indexed by space and seed.
using GoalCosts = std::vector<std::vector<GoalCost>>;

GoalCosts collectGoalCosts(std::span<const std::vector<RunScore>> spaces,
                           GoalCost RunScore::*goal);

/// Returns the geometric mean over spaces of the ratio of both GoalScores.
/// Spaces and seeds are paired.
RatioEstimate compareGoals(const GoalCosts &one, const GoalCosts &other,
                           GoalFigure figure);

double geometricMean(std::span<const double> values);

/// A recording as strategies see it.
struct ReplaySpace {
  const Recording &recording;
  std::shared_ptr<const LegalSpace> legal; ///< its points
};

/// A way to search, under a name. May be called from several threads at once.
struct ReplayStrategy {
  std::string name;
  std::function<Result<std::unique_ptr<SearchStrategy>>(const ReplaySpace &,
                                                        uint64_t seed)>
      create;
  StaticUse use = {}; ///< instead of the replay's
};

struct ReplayGridOptions {
  ReplayOptions replay; ///< but for its seed: that of the run is used
  size_t seeds = 30;
  uint64_t firstSeed = 1;
  unsigned threads = 1; ///< only proposingSeconds depends on them
};

/// Checks users' options: fails if there is nothing to run, nothing pending, or
/// the noise is invalid.
Result<void> checkReplayOptions(const ReplayGridOptions &options);

/// Scores indexed by strategy, recording and seed.
using ReplayGrid = std::vector<std::vector<std::vector<RunScore>>>;

/// Runs each strategy on each recording with each seed. The first Error, in
/// this order, names strategy, recording and seed.
Result<ReplayGrid> replayGrid(std::span<const Recording> recordings,
                              std::span<const ReplayStrategy> strategies,
                              const ReplayGridOptions &options);

/// A strategy over all recordings: means, of costs geometric ones.
struct StrategySummary {
  std::string name;
  std::vector<double> fractions; ///< as SpaceScore's
  double trialsWithin5 = 0, trialsWithin1 = 0;
  double secondsWithin5 = 0, secondsWithin1 = 0; ///< recorded
  double reachedWithin5 = 0, reachedWithin1 = 0; ///< share of the runs
  std::optional<double> score; ///< over the recordings that have one
  double proposingSeconds = 0; ///< for a trial
  std::vector<SpaceScore> spaces;
  /// Ratios to the first strategy.
  RatioEstimate trialsRatio5, trialsRatio1, secondsRatio5;
};

/// A recording of the report.
struct ReplayedRecording {
  std::string name;
  size_t trials = 0, failed = 0;      ///< points, and those of them
  size_t excluded = 0, disturbed = 0; ///< entries that are no points
  double bestSeconds = 0;
  std::vector<std::string> notes;
};

struct ReplayReport {
  std::vector<ReplayedRecording> recordings;
  size_t trials = 0; ///< the budget
  /// The other one, infinite if there is none.
  double seconds = std::numeric_limits<double>::infinity();
  size_t seeds = 0;
  size_t pending = 1;
  double noise = 0;
  std::vector<StrategySummary> strategies;
};

/// Summarises the scores. Precondition: at least one strategy, recording and
/// seed.
ReplayReport summarize(std::span<const Recording> recordings,
                       std::span<const ReplayStrategy> strategies,
                       const ReplayGridOptions &options,
                       const ReplayGrid &grid);

/// Prints three tables: the recordings; the strategies over all of them; trials
/// to within 5 % on each.
std::string printTable(const ReplayReport &report);

/// Formats a number with this many decimals: "0.50".
std::string printFixed(double value, int decimals);
/// Formats a ratio: "0.52 [0.41, 0.66]".
std::string printRatio(const RatioEstimate &estimate);

void to_json(Json &json, const ReplayReport &report);

} // namespace tonno

#endif // TONNO_SEARCH_REPLAY_H
