//===- Tests for scores of replayed searches ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/Replay.h"

#include "RecordedFiles.h"

#include <cmath>

using namespace tonno;
using testing::ElementsAre;

static Recording fourTimes() {
  return accepted("a,time_s,cost_s\n0,1,1\n1,1.05,2\n2,2,3\n3,4,4\n4,,5\n");
}

/// Returns a run whose best times are these, for 2 s each.
static ReplayRun runOf(const std::vector<double> &bests) {
  ReplayRun run;
  for (double best : bests)
    run.steps.push_back({0, best, 2.0 * double(run.steps.size() + 1)});
  run.proposingSeconds = 0.5;
  return run;
}

TEST(ReplayScore, GoalsAreReachedByTheFirstTrialWithinThem) {
  RunScore score = scoreRun(runOf({INFINITY, 4, 1.05, 1.05, 1}), fourTimes(),
                            {.trials = 10});
  EXPECT_TRUE(score.within5.isReached);
  EXPECT_EQ(score.within5.trials, 3);
  EXPECT_EQ(score.within5.seconds, 6);
  EXPECT_EQ(score.within1.trials, 5);
  EXPECT_THAT(score.best,
              ElementsAre(INFINITY, 4, 1.05, 1.05, 1, 1, 1, 1, 1, 1));
  EXPECT_EQ(score.seconds, 10);
}

TEST(ReplayScore, RunsThatMissCountTheWholeBudget) {
  RunScore early = scoreRun(runOf({4, 2}), fourTimes(), {.trials = 4});
  EXPECT_FALSE(early.within5.isReached);
  EXPECT_EQ(early.within5.trials, 4);
  EXPECT_EQ(early.within5.seconds, 8); // 2 s a trial
  RunScore none = scoreRun(ReplayRun(), fourTimes(), {.trials = 3});
  EXPECT_EQ(none.within1.trials, 3);
  EXPECT_EQ(none.within1.seconds, 0);
  EXPECT_THAT(none.best, testing::Each(INFINITY));
}

TEST(ReplayScore, ABudgetBeyondTheSpaceIsItsPoints) {
  ReplayOptions options = {.trials = std::numeric_limits<size_t>::max()};
  RunScore early = scoreRun(runOf({4, 2}), fourTimes(), options);
  EXPECT_EQ(early.within5.trials, 5);
  EXPECT_EQ(early.within5.seconds, 10);
  EXPECT_EQ(early.best.size(), 400u); // of which fractions are told
}

TEST(ReplayScore, RunsThatMissCountUntilTheFirstBudgetIsSpent) {
  ReplayOptions options = {.trials = 5, .seconds = 9};
  RunScore early = scoreRun(runOf({4, 2}), fourTimes(), options);
  EXPECT_EQ(early.within5.trials, 4.5); // 2 s a trial
  EXPECT_EQ(early.within5.seconds, 9);
  RunScore spent = scoreRun(runOf({4, 4, 4, 4, 2}), fourTimes(), options);
  EXPECT_EQ(spent.within5.trials, 5); // the last one began after 8 s
  EXPECT_EQ(spent.within5.seconds, 10);
  options.seconds = 11;
  EXPECT_EQ(scoreRun(runOf({4}), fourTimes(), options).within5.trials, 5);
}

TEST(ReplayScore, AGoalCostsAllTrialsOverTheSuccesses) {
  std::vector<GoalCost> costs = {{true, 3, 6}, {false, 10, 20}, {true, 5, 9}};
  GoalScore score = scoreGoal(costs);
  EXPECT_EQ(score.runs, 3u);
  EXPECT_EQ(score.reached, 2u);
  EXPECT_EQ(score.trials, 9);
  EXPECT_EQ(score.seconds, 17.5);
  EXPECT_EQ(score.medianTrials, 5);
  costs = {{false, 10, 20}, {false, 10, 20}};
  EXPECT_EQ(scoreGoal(costs).trials, 40); // 20 trials, at most half a success
}

TEST(ReplayScore, SpacesHaveMeansOfTheirRuns) {
  std::vector<double> slow(400, 4), fast(400, 1);
  slow[24] = fast[24] = 2; // after 25 trials
  Recording recorded = fourTimes();
  std::vector<RunScore> runs = {
      scoreRun(runOf(slow), recorded, {.trials = 400}),
      scoreRun(runOf(fast), recorded, {.trials = 400})};
  SpaceScore score = scoreSpace(recorded, RandomBaseline(recorded), runs);
  EXPECT_THAT(score.fractions, ElementsAre(.5, .625, .625, .625, .625));
  EXPECT_DOUBLE_EQ(score.finalSeconds, 2);
  EXPECT_DOUBLE_EQ(score.proposingSeconds, 1.0 / 800);
  EXPECT_EQ(score.within1.reached, 1u);
  // Fractions go as far as the budget; nothing found is no share of it.
  runs = {scoreRun(ReplayRun(), recorded, {.trials = 60}),
          scoreRun(runOf({1}), recorded, {.trials = 60})};
  score = scoreSpace(recorded, RandomBaseline(recorded), runs);
  EXPECT_THAT(score.fractions, ElementsAre(.5, .5));
  EXPECT_TRUE(std::isinf(score.finalSeconds));
}

/// Returns costs of goals in each space; seconds are ten times the trials.
static std::vector<std::vector<GoalCost>>
goals(const std::vector<std::vector<double>> &trials) {
  std::vector<std::vector<GoalCost>> spaces;
  for (const std::vector<double> &each : trials) {
    spaces.emplace_back();
    for (double count : each)
      spaces.back().push_back({true, count, 10 * count});
  }
  return spaces;
}

TEST(ReplayScore, RatiosAreGeometricMeansWithIntervals) {
  auto one = goals({{10, 20}, {40, 40}}), other = goals({{30, 30}, {10, 10}});
  RatioEstimate estimate = compareGoals(one, other, &GoalScore::trials);
  EXPECT_DOUBLE_EQ(estimate.ratio, std::sqrt(0.5 * 4));
  // The seeds of the first space are two, or either one twice.
  EXPECT_DOUBLE_EQ(estimate.interval.low, std::sqrt(10 / 30.0 * 4));
  EXPECT_DOUBLE_EQ(estimate.interval.high, std::sqrt(20 / 30.0 * 4));
  RatioEstimate same = compareGoals(one, one, &GoalScore::seconds);
  EXPECT_EQ(same.ratio, 1);
  EXPECT_EQ(same.interval.low, 1);
  EXPECT_EQ(same.interval.high, 1);
}

TEST(ReplayScore, SeedsArePaired) {
  // The ratio is two with each seed, however much seeds differ.
  auto one = goals({{2, 200, 20, 4000}}), other = goals({{1, 100, 10, 2000}});
  RatioEstimate estimate = compareGoals(one, other, &GoalScore::trials);
  EXPECT_DOUBLE_EQ(estimate.interval.low, 2);
  EXPECT_DOUBLE_EQ(estimate.interval.high, 2);
}

TEST(ReplayScore, WhatWasNotRecordedIsEqual) {
  std::vector<std::vector<GoalCost>> free = {{{true, 3, 0}, {true, 4, 0}}};
  EXPECT_EQ(compareGoals(free, free, &GoalScore::seconds).ratio, 1);
}
