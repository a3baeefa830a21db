//===- Strategies compared over all recordings ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/ReplayReport.h"

using namespace tonno;

template <typename Figure>
static double meanOf(const std::vector<SpaceScore> &spaces, Figure figure) {
  double sum = 0;
  for (const SpaceScore &space : spaces)
    sum += figure(space);
  return sum / static_cast<double>(spaces.size());
}

template <typename Figure>
static double geometricMeanOf(const std::vector<SpaceScore> &spaces,
                              Figure figure) {
  std::vector<double> values;
  for (const SpaceScore &space : spaces)
    values.push_back(figure(space));
  return geometricMean(values);
}

/// Where there is none, there is nothing to find.
static std::optional<double> meanScore(const std::vector<SpaceScore> &spaces) {
  double sum = 0, count = 0;
  for (const SpaceScore &space : spaces)
    if (space.score) {
      sum += *space.score;
      ++count;
    }
  if (count == 0)
    return std::nullopt;
  return sum / count;
}

static double shareReached(const GoalScore &goal) {
  return static_cast<double>(goal.reached) / static_cast<double>(goal.runs);
}

static StrategySummary summarizeSpaces(std::vector<SpaceScore> spaces) {
  using Space = const SpaceScore &;
  StrategySummary summary;
  for (size_t i = 0; i < spaces.front().fractions.size(); ++i)
    summary.fractions.push_back(
        meanOf(spaces, [i](Space space) { return space.fractions[i]; }));
  summary.trialsWithin5 =
      geometricMeanOf(spaces, [](Space space) { return space.within5.trials; });
  summary.trialsWithin1 =
      geometricMeanOf(spaces, [](Space space) { return space.within1.trials; });
  summary.secondsWithin5 = geometricMeanOf(
      spaces, [](Space space) { return space.within5.seconds; });
  summary.secondsWithin1 = geometricMeanOf(
      spaces, [](Space space) { return space.within1.seconds; });
  summary.reachedWithin5 =
      meanOf(spaces, [](Space space) { return shareReached(space.within5); });
  summary.reachedWithin1 =
      meanOf(spaces, [](Space space) { return shareReached(space.within1); });
  summary.score = meanScore(spaces);
  summary.proposingSeconds =
      meanOf(spaces, [](Space space) { return space.proposingSeconds; });
  summary.spaces = std::move(spaces);
  return summary;
}

ReplayReport tonno::summarize(std::span<const Recording> recordings,
                              std::span<const ReplayStrategy> strategies,
                              const ReplayGridOptions &options,
                              const ReplayGrid &grid) {
  ReplayReport report;
  std::vector<RandomBaseline> baselines;
  for (const Recording &recording : recordings) {
    report.recordings.push_back(
        {recording.name(), recording.trials().size(),
         recording.trials().size() - recording.okCount(), recording.excluded(),
         recording.disturbed(), recording.bestSeconds(), recording.notes()});
    baselines.emplace_back(recording);
  }
  report.trials = options.replay.trials;
  report.seconds = options.replay.seconds;
  report.seeds = options.seeds;
  report.pending = options.replay.pending;
  report.noise = options.replay.noise;
  GoalCosts first5 = costsOf(grid.front(), &RunScore::within5);
  GoalCosts first1 = costsOf(grid.front(), &RunScore::within1);
  for (size_t i = 0; i < strategies.size(); ++i) {
    std::vector<SpaceScore> spaces;
    for (size_t space = 0; space < recordings.size(); ++space)
      spaces.push_back(
          scoreSpace(recordings[space], baselines[space], grid[i][space]));
    StrategySummary &summary =
        report.strategies.emplace_back(summarizeSpaces(std::move(spaces)));
    summary.name = strategies[i].name;
    GoalCosts goals5 = costsOf(grid[i], &RunScore::within5);
    GoalCosts goals1 = costsOf(grid[i], &RunScore::within1);
    summary.trialsRatio5 = compareGoals(goals5, first5, &GoalScore::trials);
    summary.trialsRatio1 = compareGoals(goals1, first1, &GoalScore::trials);
    summary.secondsRatio5 = compareGoals(goals5, first5, &GoalScore::seconds);
  }
  return report;
}
