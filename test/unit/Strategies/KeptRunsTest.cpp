//===- Runs that take hours, kept -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "search/KeptRuns.h"

#include "tonno/Core/File.h"
#include "Search/RecordedFiles.h"
#include "Search/ShuffledPoints.h"
#include "TemporaryDirectory.h"

#include <cmath>

using namespace tonno;
using testing::HasSubstr;

/// Returns recordings whose last point fails.
static std::vector<Recording> recordings() {
  return {*parseCsvFile("a,time_s,cost_s\n0,3,1\n1,1,2\n2,2,1\n3,,1\n", "one"),
          *parseCsvFile("a,time_s\n0,1\n1,2\n", "other")};
}

/// Shuffles, and counts how often it is asked to.
static ReplayStrategy counted(size_t &count) {
  ReplayStrategy shuffled = shuffledPoints();
  return {"mine/yours",
          [shuffled, &count](const ReplaySpace &space, uint64_t seed) {
            ++count;
            return shuffled.create(space, seed);
          }};
}

static void expectEqual(const RunScore &one, const RunScore &other) {
  EXPECT_EQ(one.best, other.best);
  EXPECT_EQ(one.within5.isReached, other.within5.isReached);
  EXPECT_EQ(one.within5.trials, other.within5.trials);
  EXPECT_EQ(one.within1.seconds, other.within1.seconds);
  EXPECT_EQ(one.trials, other.trials);
  EXPECT_EQ(one.seconds, other.seconds);
  EXPECT_EQ(one.proposingSeconds, other.proposingSeconds);
}

TEST(KeptRuns, AreTakenAndNotRunAgain) {
  TemporaryDirectory directory;
  std::vector<Recording> recorded = recordings();
  size_t count = 0;
  ReplayStrategy strategy = counted(count);
  ReplayGridOptions options = {.replay = {.trials = 5}, .seeds = 6};
  KeptRuns kept(directory.path());
  auto grid = kept.run(recorded, {&strategy, 1}, options);
  ASSERT_TRUE(grid.ok()) << grid.error().message;
  EXPECT_EQ(count, 12u);
  auto again = kept.run(recorded, {&strategy, 1}, options);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(count, 12u);
  bool hasFailed = false;
  for (size_t space = 0; space < 2; ++space)
    for (size_t seed = 0; seed < 6; ++seed) {
      expectEqual((*grid)[0][space][seed], (*again)[0][space][seed]);
      hasFailed |= std::isinf((*grid)[0][space][seed].best.front());
    }
  EXPECT_TRUE(hasFailed) << "infinity was not put to the test";
  options.replay.pending = 2; // another setting
  ASSERT_TRUE(kept.run(recorded, {&strategy, 1}, options).ok());
  EXPECT_EQ(count, 24u);
}

TEST(KeptRuns, AreThoseOfTheGrid) {
  std::vector<Recording> recorded = recordings();
  size_t count = 0;
  ReplayStrategy strategy = counted(count);
  ReplayGridOptions options = {.replay = {.trials = 5}, .seeds = 4};
  auto direct = replayGrid(recorded, {&strategy, 1}, options);
  auto run = KeptRuns({}).run(recorded, {&strategy, 1}, options);
  ASSERT_TRUE(direct.ok() && run.ok());
  for (size_t seed = 0; seed < 4; ++seed)
    EXPECT_EQ((*run)[0][1][seed].best, (*direct)[0][1][seed].best);
}

TEST(KeptRuns, WhatIsDamagedIsAnError) {
  TemporaryDirectory directory;
  std::vector<Recording> recorded = recordings();
  size_t count = 0;
  ReplayStrategy strategy = counted(count);
  ReplayGridOptions options = {.replay = {.trials = 5}, .seeds = 2};
  KeptRuns kept(directory.path());
  ASSERT_TRUE(kept.run(recorded, {&strategy, 1}, options).ok());
  for (const auto &entry :
       std::filesystem::directory_iterator(directory.path())) {
    auto whole = readFile(entry.path());
    ASSERT_TRUE(whole.ok());
    for (const std::string &text :
         {whole->substr(0, whole->size() / 2), std::string("[]")}) {
      ASSERT_TRUE(writeFileAtomically(entry.path(), text).ok());
      auto run = kept.run(recorded, {&strategy, 1}, options);
      ASSERT_FALSE(run.ok());
      EXPECT_THAT(run.error().message, HasSubstr(entry.path().string()));
    }
    ASSERT_TRUE(writeFileAtomically(entry.path(), *whole).ok());
  }
  KeptRuns nowhere(directory.path() / "none");
  EXPECT_FALSE(nowhere.run(recorded, {&strategy, 1}, options).ok());
}
