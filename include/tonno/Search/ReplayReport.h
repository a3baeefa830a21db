//===- Strategies compared, for people and programs -----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_REPLAYREPORT_H
#define TONNO_SEARCH_REPLAYREPORT_H

#include "tonno/Search/ReplayGrid.h"

namespace tonno {

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
  /// To the first strategy.
  RatioEstimate trialsRatio5, trialsRatio1, secondsRatio5;
};

/// What was replayed on.
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

/// Of at least one strategy, recording and seed.
ReplayReport summarize(std::span<const Recording> recordings,
                       std::span<const ReplayStrategy> strategies,
                       const ReplayGridOptions &options,
                       const ReplayGrid &grid);

/// Three tables: the recordings; the strategies over all of them; trials to
/// within 5 % on each.
std::string printTable(const ReplayReport &report);

/// "0.50", of so many decimals.
std::string printFixed(double value, int decimals);
/// "0.52 [0.41, 0.66]"
std::string printRatio(const RatioEstimate &estimate);

void to_json(Json &json, const ReplayReport &report);

} // namespace tonno

#endif // TONNO_SEARCH_REPLAYREPORT_H
