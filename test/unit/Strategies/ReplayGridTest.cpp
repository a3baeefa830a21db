//===- Strategies on recorded spaces --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/Replay.h"
#include "tonno/Strategies/Strategies.h"

#include "Search/RecordedFiles.h"
#include "Search/ShuffledPoints.h"

#include <cmath>

using namespace tonno;
using testing::AllOf;
using testing::HasSubstr;

/// Returns a line of 60 points, every tenth of which fails; the best is in the
/// middle.
static Recording valley(const std::string &name) {
  std::string text = "a,time_ms,status,cost_ms\n";
  for (int i = 0; i < 60; ++i)
    text += std::to_string(i) + "," +
            (i % 10 == 9 ? std::string(",compile_error")
                         : std::to_string(10 + std::abs(i - 30)) + ",ok") +
            ",100\n";
  return *parseCsvFile(text, name);
}

static ReplayStrategy inOrder() {
  return {"in order", [](const ReplaySpace &space, uint64_t) {
            class InOrder : public ShuffledPoints {
            public:
              explicit InOrder(std::vector<Configuration> points)
                  : ShuffledPoints({}, 0), points(std::move(points)) {}
              std::vector<Configuration> propose(size_t n) override {
                auto end = points.begin() +
                           static_cast<ptrdiff_t>(std::min(n, points.size()));
                std::vector<Configuration> proposed(points.begin(), end);
                points.erase(points.begin(), end);
                return proposed;
              }

            private:
              std::vector<Configuration> points;
            };
            return Result(std::unique_ptr<SearchStrategy>(
                std::make_unique<InOrder>(space.recording.points())));
          }};
}

static ReplayReport report(const ReplayGridOptions &options) {
  std::vector<Recording> recordings = {valley("one"), valley("other")};
  std::vector<ReplayStrategy> strategies = {shuffledPoints(), inOrder()};
  auto grid = replayGrid(recordings, strategies, options);
  EXPECT_TRUE(grid.ok()) << grid.error().message;
  return summarize(recordings, strategies, options, *grid);
}

/// Removes the members that depend on the machine's speed.
static Json steady(const ReplayReport &report) {
  Json json = report;
  for (Json &strategy : json["strategies"]) {
    strategy.erase("proposing_seconds");
    for (Json &recording : strategy["recordings"])
      recording.erase("proposing_seconds");
  }
  return json;
}

TEST(ReplayGrid, IsTheSameOnAnyNumberOfThreads) {
  ReplayGridOptions options = {.replay = {.trials = 50, .noise = 0.1},
                               .seeds = 8};
  Json one = steady(report(options));
  options.threads = 3;
  EXPECT_EQ(steady(report(options)), one);
  options.firstSeed = 9;
  EXPECT_NE(steady(report(options)), one);
}

TEST(ReplayGrid, ReportsWhatWasRun) {
  ReplayReport done = report({.replay = {.trials = 100}, .seeds = 3});
  ASSERT_EQ(done.strategies.size(), 2u);
  const StrategySummary &ordered = done.strategies[1];
  // Point 29 fails, and 30 is the best: 10 ms. 31 are within 10 %, none within
  // 5 % but the best.
  EXPECT_DOUBLE_EQ(ordered.trialsWithin5, 31);
  EXPECT_DOUBLE_EQ(ordered.secondsWithin5, 3.1);
  EXPECT_EQ(ordered.reachedWithin1, 1);
  EXPECT_EQ(ordered.fractions.size(), 3u);
  EXPECT_DOUBLE_EQ(ordered.fractions[0], 10.0 / 16); // of 24: 9 more fail
  EXPECT_EQ(ordered.fractions[2], 1);
  EXPECT_LT(ordered.score.value(), 0);
  EXPECT_EQ(done.strategies[0].trialsRatio5.ratio, 1);
  Json json = done;
  EXPECT_EQ(json["strategies"][1]["within_5_percent"]["seconds"],
            ordered.secondsWithin5);
  EXPECT_EQ(json["recordings"][1]["name"], "other");
  EXPECT_EQ(json["strategies"][0]["recordings"][1]["recording"], "other");
  std::string table = printTable(done);
  EXPECT_THAT(table, AllOf(HasSubstr("3 seeds, 100 trials, 1 pending"),
                           HasSubstr("0.625"), HasSubstr("\nother ")));
}

TEST(ReplayGrid, ReportsBothBudgets) {
  ReplayReport done =
      report({.replay = {.trials = 30, .seconds = 1.25}, .seeds = 3});
  EXPECT_DOUBLE_EQ(done.strategies[1].trialsWithin5, 78); // 39 / half a run
  EXPECT_THAT(printTable(done), HasSubstr("30 trials, at most 1.25 s, 1 pend"));
  EXPECT_EQ(Json(done)["budget_seconds"], 1.25);
  ReplayReport free = report({.replay = {.trials = 30}, .seeds = 3});
  EXPECT_FALSE(Json(free).contains("budget_seconds"));
}

TEST(ReplayGrid, MarksGoalsThatWereNotAlwaysReached) {
  ReplayReport done = report({.replay = {.trials = 30}, .seeds = 3});
  EXPECT_DOUBLE_EQ(done.strategies[1].trialsWithin5, 180); // 90 / half a run
  EXPECT_THAT(printTable(done), HasSubstr("180.0*"));
}

TEST(ReplayGrid, ErrorsNameStrategyAndSeed) {
  std::vector<Recording> recordings = {valley("one")};
  std::vector<ReplayStrategy> strategies = {
      {"astray", [](const ReplaySpace &, uint64_t) {
         return Result(
             std::unique_ptr<SearchStrategy>(std::make_unique<ShuffledPoints>(
                 std::vector<Configuration>{{{99}}}, 1)));
       }}};
  auto grid = replayGrid(recordings, strategies,
                         {.replay = {}, .seeds = 2, .threads = 2});
  EXPECT_THAT(grid.error().message,
              AllOf(HasSubstr("'astray' with seed 1"),
                    HasSubstr("proposed a candidate, which 'one' "
                              "does not have")));
  strategies[0].create = [](const ReplaySpace &, uint64_t) {
    return Result<std::unique_ptr<SearchStrategy>>(Error{"no such strategy"});
  };
  EXPECT_EQ(replayGrid(recordings, strategies, {}).error().message,
            "no such strategy");
}

TEST(ReplayGrid, StrategiesHaveNames) {
  std::vector<std::string> names = {"random", "exhaustive"};
  auto named = namedStrategies(names);
  ASSERT_TRUE(named.ok());
  std::vector<Recording> recordings = {valley("one")};
  auto grid = replayGrid(recordings, *named, {.replay = {}, .seeds = 2});
  ASSERT_TRUE(grid.ok()) << grid.error().message;
  EXPECT_EQ((*grid)[1][0][0].within1.trials, 31); // in order
  EXPECT_EQ((*grid)[0][0][0].trials, 60u);
  names.emplace_back("no-such");
  EXPECT_THAT(namedStrategies(names).error().message,
              AllOf(HasSubstr("'no-such'"), HasSubstr("random")));
  EXPECT_FALSE(namedStrategies({}).ok());
}

TEST(ReplayGrid, BudgetsOfNothingAreErrors) {
  ReplayGridOptions options;
  EXPECT_TRUE(checkReplayOptions(options).ok());
  auto refusal = [&](auto change) {
    ReplayGridOptions changed = options;
    change(changed);
    return checkReplayOptions(changed).error().message;
  };
  EXPECT_THAT(refusal([](auto &o) { o.replay.trials = 0; }),
              HasSubstr("at least 1 trial"));
  for (double seconds : {0.0, -1.0, double(NAN)})
    EXPECT_THAT(refusal([&](auto &o) { o.replay.seconds = seconds; }),
                HasSubstr("more than 0 seconds"));
  EXPECT_THAT(refusal([](auto &o) { o.seeds = 0; }),
              HasSubstr("the number of seeds"));
  EXPECT_THAT(refusal([](auto &o) { o.replay.pending = 0; }),
              HasSubstr("pending"));
  for (double noise : {-0.1, double(NAN), double(INFINITY)})
    EXPECT_THAT(refusal([&](auto &o) { o.replay.noise = noise; }),
                HasSubstr("noise"));
}

/// Seeds and threads have limits.
TEST(ReplayGrid, WhatNoMachineHoldsIsRefused) {
  ReplayGridOptions options;
  options.seeds = 3000000000;
  EXPECT_THAT(checkReplayOptions(options).error().message,
              AllOf(HasSubstr("3000000000 seeds"), HasSubstr("at most")));
  options.seeds = 10000;
  EXPECT_TRUE(checkReplayOptions(options).ok());
  options.threads = 100000;
  EXPECT_THAT(checkReplayOptions(options).error().message,
              AllOf(HasSubstr("100000 threads"), HasSubstr("at most")));
}

TEST(ReplayGrid, ABudgetBeyondTheSpaceAndMoreThreadsThanRunsAreFine) {
  std::vector<Recording> recordings = {valley("one")};
  std::vector<std::string> names = {"random"};
  size_t most = std::numeric_limits<size_t>::max();
  auto grid = replayGrid(recordings, *namedStrategies(names),
                         {.replay = {.trials = most, .pending = most},
                          .seeds = 2,
                          .threads = 1024});
  ASSERT_TRUE(grid.ok()) << grid.error().message;
  EXPECT_EQ((*grid)[0][0][1].trials, 60u);
}

TEST(ReplayGrid, TellsOfItsRecordings) {
  std::vector<Recording> recordings = {
      accepted("a,time_ms,status\n1,2,ok\n2,,wrong\n3,,contended\n4,1,ok")};
  std::vector<ReplayStrategy> strategies = {shuffledPoints()};
  ReplayGridOptions options = {.replay = {}, .seeds = 2};
  auto grid = replayGrid(recordings, strategies, options);
  ASSERT_TRUE(grid.ok()) << grid.error().message;
  ReplayReport done = summarize(recordings, strategies, options, *grid);
  Json json = done;
  EXPECT_EQ(json["recordings"][0]["trials"], 3);
  EXPECT_EQ(json["recordings"][0]["failed"], 1);
  EXPECT_EQ(json["recordings"][0]["excluded"], 0);
  EXPECT_EQ(json["recordings"][0]["disturbed"], 1);
  EXPECT_EQ(json["recordings"][0]["notes"].size(), 1u);
  // Three points are too few for a score.
  EXPECT_FALSE(json["strategies"][0].contains("score"));
  std::string table = printTable(done);
  EXPECT_THAT(table, testing::ContainsRegex("file +3 +1 +0 +1 +1.0000"));
  EXPECT_THAT(table, testing::ContainsRegex(" - +[0-9]"));
}

TEST(ReplayGrid, RandomFindsWhatIsExpectedOnPublishedSpaces) {
  if (!replayData())
    GTEST_SKIP() << "TONNO_REPLAY_DATA is not set";
  std::vector<Recording> recordings;
  for (const char *name : {"convolution_milo__A100", "convolution__RTX_2080_Ti",
                           "pnpoly__RTX_3090"})
    recordings.push_back(*readRecording(std::filesystem::path(replayData()) /
                                        (std::string(name) + ".csv.gz")));
  std::vector<ReplayStrategy> strategies = {shuffledPoints()};
  ReplayGridOptions options = {.replay = {.trials = 400}, .seeds = 400};
  auto grid = replayGrid(recordings, strategies, options);
  ASSERT_TRUE(grid.ok());
  ReplayReport done = summarize(recordings, strategies, options, *grid);
  for (size_t space = 0; space < recordings.size(); ++space) {
    RandomBaseline baseline(recordings[space]);
    const SpaceScore &score = done.strategies[0].spaces[space];
    for (size_t i = 0; i < scoredTrials.size(); ++i)
      EXPECT_NEAR(score.fractions[i],
                  baseline.expectedFraction(scoredTrials[i]), 0.025)
          << recordings[space].name();
    double reached = 1 - baseline.missProbability(1.05, 400);
    EXPECT_NEAR(static_cast<double>(score.within5.reached) / 400, reached, .1);
    EXPECT_NEAR(score.score.value(), 0, 0.05);
    if (reached > 0.5)
      EXPECT_NEAR(score.within5.trials / baseline.drawsUntil(1.05, 400), 1, .2);
  }
}
