//===- Calling the best candidates again ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Timing/Repeats.h"

#include "FakeSampler.h"

#include <gtest/gtest.h>

#include <limits>

using namespace tonno;

static constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Returns trials in ascending order, and then times with other noise.
static RepeatedBest repeat(ScriptedSampler &sampler,
                           const std::vector<double> &trials,
                           const RepeatOptions &options = {}) {
  auto best = repeatBest(sampler, trials, options, unlimited, 1);
  EXPECT_TRUE(best);
  return *best;
}

TEST(Repeats, EqualBitsEndThem) {
  std::vector<double> trials = {-1, 0, 2, 3};
  ScriptedSampler sampler(
      [&](size_t entrant, size_t) { return trials[entrant - 1]; });
  RepeatedBest best = repeat(sampler, trials);
  EXPECT_EQ(best.candidate, 0U);
  EXPECT_EQ(best.estimate.median, -1);
  EXPECT_EQ(best.estimate.n, 1U);
  EXPECT_EQ(sampler.entrants, (std::vector<size_t>{1, 2}));
}

TEST(Repeats, CallsThatChooseDoNotEstimate) {
  // Candidate 1 was lucky. 2 is the best one; its first calls say more.
  std::mt19937_64 generator(3);
  std::normal_distribution<double> noise(0, 0.2);
  ScriptedSampler sampler([&](size_t entrant, size_t) {
    return (entrant == 2 ? 1.0 : 1.6) + noise(generator);
  });
  RepeatedBest best = repeat(sampler, {0.7, 0.8, 0.9});
  EXPECT_EQ(best.candidate, 1U);
  EXPECT_NEAR(best.estimate.median, 1, 0.1);
  EXPECT_LT(best.estimate.n, sampler.count(2));
  EXPECT_GE(best.estimate.n, 30U);
  EXPECT_EQ(sampler.entrants.size(), RepeatOptions().calls);
}

TEST(Repeats, LittleNoiseTakesFewCalls) {
  std::vector<double> trials = {1, 1.5, 2};
  ScriptedSampler sampler([&](size_t entrant, size_t n) {
    return trials[entrant - 1] * (n % 2 == 0 ? 0.999 : 1.001);
  });
  RepeatedBest best = repeat(sampler, trials);
  EXPECT_EQ(best.candidate, 0U);
  EXPECT_EQ(sampler.count(2), 1U);
  EXPECT_EQ(sampler.count(3), 0U);
  EXPECT_LE(sampler.count(1), 3U);
}

TEST(Repeats, FailureNamesItsEntrant) {
  ScriptedSampler sampler([](size_t, size_t n) { return 1.0 + n; });
  sampler.failAt = 5;
  std::vector<double> trials = {1, 1, 1};
  auto best = repeatBest(sampler, trials, RepeatOptions(), unlimited, 1);
  ASSERT_FALSE(best);
  EXPECT_EQ(best.error().status, Status::fault);
}

TEST(Repeats, NoCallBeginsAfterTheTime) {
  ScriptedSampler sampler([](size_t, size_t) { return 1.0; });
  std::vector<double> trials = {1, 2};
  auto best = repeatBest(sampler, trials, RepeatOptions(), 0, 1);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->candidate, 0U);
  EXPECT_EQ(best->estimate.n, 0U);
  EXPECT_TRUE(sampler.entrants.empty());
}
