//===- The verdict, over simulated sessions -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Timing/Protocol.h"

#include "FakeSampler.h"

#include <gmock/gmock.h>

using namespace tonno;

static constexpr int sessions = 300;

static ProtocolOptions comparisonOptions() {
  ProtocolOptions options;
  options.warmupSeconds = 0.0015; // two launches of a millisecond
  return options;
}

static std::vector<Comparison> simulate(const NoisySampler::Machine &machine,
                                        const ProtocolOptions &options) {
  std::vector<Comparison> all;
  for (uint64_t seed = 0; seed < sessions; ++seed) {
    NoisySampler sampler(machine, 1000 + seed);
    auto comparison = compareWithBaseline(sampler, options, seed);
    EXPECT_TRUE(comparison.ok());
    all.push_back(*comparison);
  }
  return all;
}

static long countFaster(const std::vector<Comparison> &all) {
  return std::count_if(all.begin(), all.end(), [](const Comparison &c) {
    return c.verdict == Verdict::faster;
  });
}

static size_t medianRounds(const std::vector<Comparison> &all) {
  std::vector<double> rounds;
  for (const Comparison &c : all)
    rounds.push_back(static_cast<double>(c.rounds));
  return static_cast<size_t>(median(rounds));
}

// A block's median errs by 1.3 % here, so by 0.5 % after 8 blocks: equal
// entrants are called `faster` when that is over the floor by three errors,
// about 1 in 300 at the first look and less later. More than 5 of 300 would
// come once in 1000.
TEST(CompareWithBaseline, EqualSidesTie) {
  std::vector<Comparison> all = simulate({.speedup = 1}, comparisonOptions());
  EXPECT_LE(countFaster(all), 5);
  for (const Comparison &c : all)
    EXPECT_TRUE(c.verdict == Verdict::faster || c.verdict == Verdict::tie);
}

TEST(CompareWithBaseline, EqualSidesTieUnderHeavyDrift) {
  EXPECT_LE(
      countFaster(simulate({.speedup = 1, .drift = 1}, comparisonOptions())),
      5);
}

// A gain of half a percent is the floor itself: nothing may be shown above it.
TEST(CompareWithBaseline, GainAtTheFloorIsNoGain) {
  EXPECT_LE(countFaster(simulate({.speedup = 1.005}, comparisonOptions())), 15);
}

TEST(CompareWithBaseline, ThreePercentAreFound) {
  EXPECT_GE(countFaster(simulate({.speedup = 1.03}, comparisonOptions())), 297);
}

TEST(CompareWithBaseline, ThreePercentSlowerTiesAtTheFirstLook) {
  std::vector<Comparison> all =
      simulate({.speedup = 0.97}, comparisonOptions());
  EXPECT_EQ(countFaster(all), 0);
  EXPECT_EQ(medianRounds(all), 64u);
}

TEST(CompareWithBaseline, SmallGainsTakeMoreRounds) {
  EXPECT_GT(medianRounds(simulate({.speedup = 1.012}, comparisonOptions())),
            128u);
  EXPECT_EQ(medianRounds(simulate({.speedup = 1.1}, comparisonOptions())), 64u);
}

// A single look excludes the effect of optional stopping: 95 % of 300 is 285,
// and three standard deviations are 11.
TEST(CompareWithBaseline, IntervalCoversTheTruthAtItsRate) {
  ProtocolOptions once = comparisonOptions();
  once.maxRounds = once.firstLook;
  int covered = 0;
  for (const Comparison &c : simulate({.speedup = 1.04}, once)) {
    EXPECT_LT(c.speedupInterval.low, c.speedup);
    EXPECT_LT(c.speedup, c.speedupInterval.high);
    covered += c.speedupInterval.low <= 1.04 && 1.04 <= c.speedupInterval.high;
  }
  EXPECT_GE(covered, 274);
  EXPECT_LE(covered, 296);
}

/// The interval is of another level than the test.
TEST(CompareWithBaseline, WhatIsShownDecides) {
  for (double speedup : {1.0, 1.008, 1.02})
    for (const Comparison &c :
         simulate({.speedup = speedup}, comparisonOptions())) {
      ASSERT_TRUE(c.shownSpeedup);
      EXPECT_LT(*c.shownSpeedup, c.speedupInterval.low);
      EXPECT_EQ(*c.shownSpeedup > std::exp(comparisonOptions().fasterFloor),
                c.verdict == Verdict::faster);
    }
}

TEST(CompareWithBaseline, SpeedupIsBaselineOverCandidate) {
  ScriptedSampler sampler([](size_t entrant, size_t) {
    return entrant == firstCandidate ? 1e-3 : 2e-3;
  });
  auto c = compareWithBaseline(sampler, comparisonOptions(), 1);
  ASSERT_TRUE(c.ok());
  EXPECT_EQ(c->verdict, Verdict::faster);
  EXPECT_NEAR(c->speedup, 2, 1e-9);
  EXPECT_DOUBLE_EQ(c->seconds.median, 1e-3);
  EXPECT_DOUBLE_EQ(c->baselineSeconds.median, 2e-3);
  EXPECT_EQ(c->rounds, 64u);
  EXPECT_EQ(c->seconds.n, 64u);
}

TEST(CompareWithBaseline, UndecidedEndsAtTheLastLookAsATie) {
  // Between floor and ceiling, with blocks that disagree.
  int block = 0;
  ScriptedSampler sampler([&](size_t entrant, size_t) {
    double log = 0.0065 + (block % 2 ? 0.1 : -0.1);
    return entrant == firstCandidate ? 1e-3 * std::exp(-log) : 1e-3;
  });
  struct Redrawing : ScriptedSampler {
    Redrawing(const ScriptedSampler &from, int &block)
        : ScriptedSampler(from), block(block) {}
    Result<void, Failure> redraw() override {
      ++block;
      return {};
    }
    int &block;
  } redrawing(sampler, block);
  auto c = compareWithBaseline(redrawing, comparisonOptions(), 1);
  ASSERT_TRUE(c.ok());
  EXPECT_EQ(c->verdict, Verdict::tie);
  EXPECT_EQ(c->rounds, ProtocolOptions().maxRounds);
}

/// Returns the sampler of a session of 64 rounds, which has recorded the
/// entrants in order.
static ScriptedSampler session(uint64_t seed) {
  ScriptedSampler sampler([](size_t entrant, size_t) {
    return entrant == firstCandidate ? 1e-3 : 2e-3;
  });
  EXPECT_TRUE(compareWithBaseline(sampler, comparisonOptions(), seed).ok());
  return sampler;
}

// Per block: one warm-up launch of the baseline (2 ms), one of the candidate,
// and 8 rounds of two.
static constexpr size_t blockLaunches = 2 + 16;

TEST(CompareWithBaseline, DrawsALayoutForEachBlock) {
  ScriptedSampler sampler = session(1);
  ASSERT_EQ(sampler.entrants.size(), 8 * blockLaunches);
  ASSERT_EQ(sampler.redrawnAt.size(), 8u);
  for (size_t block = 0; block < 8; ++block)
    EXPECT_EQ(sampler.redrawnAt[block], block * blockLaunches);
}

TEST(CompareWithBaseline, EachRoundHasBothSidesInRandomOrder) {
  std::vector<size_t> entrants = session(1).entrants;
  int baselineFirst = 0;
  for (size_t block = 0; block < 8; ++block)
    for (size_t round = 0; round < 8; ++round) {
      size_t first = block * blockLaunches + 2 + 2 * round;
      EXPECT_NE(entrants[first], entrants[first + 1]);
      baselineFirst += entrants[first] == baselineEntrant;
    }
  EXPECT_GT(baselineFirst, 16); // of 64
  EXPECT_LT(baselineFirst, 48);
  EXPECT_EQ(entrants, session(1).entrants);
  EXPECT_NE(entrants, session(2).entrants);
}

TEST(CompareWithBaseline, TimeBudgetEndsIt) {
  ScriptedSampler sampler([n = 0](size_t, size_t) mutable {
    return 0.5 + 0.3 * (n++ % 7); // undecided
  });
  ProtocolOptions options;
  options.testSeconds = 30;
  auto c = compareWithBaseline(sampler, options, 1);
  ASSERT_TRUE(c.ok());
  EXPECT_EQ(c->verdict, Verdict::tie);
  // Three blocks, the fewest that have an error, shrunk to the time there is.
  EXPECT_GE(c->rounds, 6u);
  EXPECT_LE(c->rounds, 16u);
}

TEST(CompareWithBaseline, TimeBudgetMayStillShowAGain) {
  ScriptedSampler sampler([](size_t entrant, size_t) {
    return entrant == firstCandidate ? 1.0 : 2.0;
  });
  ProtocolOptions options;
  options.testSeconds = 45;
  auto c = compareWithBaseline(sampler, options, 1);
  ASSERT_TRUE(c.ok());
  EXPECT_EQ(c->verdict, Verdict::faster);
  EXPECT_GE(c->rounds, options.minRounds);
  EXPECT_LT(c->rounds, options.firstLook);
}

TEST(CompareWithBaseline, FewRoundsShowNoGain) {
  ScriptedSampler sampler([](size_t entrant, size_t) {
    return entrant == firstCandidate ? 1.0 : 2.0;
  });
  ProtocolOptions options;
  options.testSeconds = 1;
  auto c = compareWithBaseline(sampler, options, 1);
  ASSERT_TRUE(c.ok());
  EXPECT_EQ(c->verdict, Verdict::tie);
  EXPECT_EQ(c->rounds, 3u); // one a block: a round takes thrice the budget
}

TEST(CompareWithBaseline, FailuresPassThrough) {
  for (size_t at : {0, 1, 4, 100}) {
    ScriptedSampler sampler([](size_t, size_t) { return 1e-3; });
    sampler.failAt = at;
    auto c = compareWithBaseline(sampler, comparisonOptions(), 1);
    ASSERT_FALSE(c.ok()) << at;
    EXPECT_EQ(c.error().status, Status::fault);
  }
  ScriptedSampler sampler([](size_t, size_t) { return 1e-3; });
  sampler.reloadFails = true;
  auto c = compareWithBaseline(sampler, comparisonOptions(), 1);
  ASSERT_FALSE(c.ok());
  EXPECT_EQ(c.error().status, Status::load_error);
}
