//===- The search on our own recorded spaces ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/Replay.h"
#include "tonno/Strategies/Strategies.h"
#include "search/Figures.h"

#include "Search/RecordedFiles.h"

#include <cmath>

using namespace tonno;

namespace {

class RecordedSpaces : public testing::Test {
protected:
  RecordedSpaces() {
    for (const char *name : {"matmul__512", "matmul__500x300x200"})
      recordings.push_back(
          *readRecording(std::filesystem::path(TONNO_RECORDINGS) /
                         (std::string(name) + ".csv.gz")));
  }

  ReplayReport report(const std::vector<std::string> &names,
                      const ReplayGridOptions &options) const {
    auto strategies = namedStrategies(names);
    EXPECT_TRUE(strategies.ok());
    auto grid = replayGrid(recordings, *strategies, options);
    EXPECT_TRUE(grid.ok()) << grid.error().message;
    return summarize(recordings, *strategies, options, *grid);
  }

  std::vector<Recording> recordings;
};

} // namespace

TEST_F(RecordedSpaces, AreAsTheirReadmeSays) {
  EXPECT_EQ(recordings[0].trials().size(), 2484u);
  EXPECT_EQ(recordings[1].trials().size(), 2002u);
  for (const Recording &recording : recordings) {
    EXPECT_EQ(recording.okCount(), recording.trials().size());
    EXPECT_EQ(recording.space().knobs().size(), 5u);
    EXPECT_TRUE(recording.notes().empty());
    for (const RecordedTrial &trial : recording.trials())
      EXPECT_GT(trial.cost.compile, 0);
  }
}

/// Over random search's trials to within 5 % of the optimum.
TEST_F(RecordedSpaces, TheDefaultStrategyNeedsFarFewerTrialsThanRandom) {
  ReplayReport done =
      report({"random", "ensemble"},
             {.replay = {.trials = 400, .enough = 1.05}, .seeds = 10});
  const StrategySummary &ours = done.strategies[1];
  EXPECT_EQ(ours.reachedWithin5, 1);
  for (size_t space = 0; space < recordings.size(); ++space)
    EXPECT_LT(ours.spaces[space].within5.trials,
              0.5 * done.strategies[0].spaces[space].within5.trials)
        << recordings[space].name();
}

TEST_F(RecordedSpaces, EachStrategyFindsSomethingBetterThanTheDefault) {
  std::vector<std::string> names;
  for (std::string_view name : strategyNames())
    if (name != "exhaustive") // goes from one corner
      names.emplace_back(name);
  ReplayGridOptions options = {.replay = {.trials = 120}, .seeds = 3};
  auto strategies = namedStrategies(names);
  auto grid = replayGrid(recordings, *strategies, options);
  ASSERT_TRUE(grid.ok()) << grid.error().message;
  for (size_t i = 0; i < names.size(); ++i)
    for (size_t space = 0; space < recordings.size(); ++space)
      for (const RunScore &run : (*grid)[i][space])
        EXPECT_LT(run.best.back(), recordings[space].trials().front().seconds)
            << names[i] << " on " << recordings[space].name();
}

TEST_F(RecordedSpaces, TheBestOfASiblingAreGoodHere) {
  double sum = 0;
  for (size_t space = 0; space < 2; ++space) {
    const Recording &recording = recordings[space];
    double best = INFINITY;
    auto legal = LegalSpace::of(recording.space(), recording.points());
    auto points = bestOfSibling(recordings[1 - space], *legal, 6);
    ASSERT_EQ(points.size(), 6u);
    for (const Configuration &point : points)
      best = std::min(best, recording.trials()[*recording.find(point)].seconds);
    sum += recording.bestSeconds() / best;
  }
  EXPECT_GT(sum / 2, 0.8);
}

TEST_F(RecordedSpaces, TheDefaultStrategyIsNotMisledByNoise) {
  ReplayReport done = report(
      {"ensemble"}, {.replay = {.trials = 100, .noise = 0.03}, .seeds = 5});
  EXPECT_GT(done.strategies[0].fractions[2], 0.93); // after 100 trials
}
