//===- Candidates that are timed by themselves ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Timing/Unpaired.h"

#include "FakeSampler.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::DoubleEq;

namespace {

class UnpairedTest : public testing::Test {
protected:
  /// Measures a candidate of which each run takes this long, the first one
  /// included.
  UnpairedMeasurement measure(double seconds) {
    return measureAfter(seconds, seconds);
  }

  UnpairedMeasurement measureAfter(double first, double later) {
    sampler.script = [later](size_t, size_t) { return later; };
    sampler.entrants.clear();
    auto measured = measureUnpaired(sampler, options, first, limits,
                                    [](auto) { return false; });
    EXPECT_TRUE(measured.ok());
    return *measured;
  }

  size_t runs() const { return 1 + sampler.entrants.size(); }

  ScriptedSampler sampler{[](size_t, size_t) { return 0.0; }};
  UnpairedOptions options;
  UnpairedLimits limits;
};

} // namespace

TEST_F(UnpairedTest, NothingIsPrunedBesideNoBest) {
  EXPECT_FALSE(measure(5).isPruned);
  EXPECT_EQ(runs(), 4u);
}

TEST_F(UnpairedTest, OneRunPrunesWhatTakesTenTimesAsLong) {
  limits.bestSeconds = 0.1;
  UnpairedMeasurement measured = measure(1.01);
  EXPECT_TRUE(measured.isPruned);
  EXPECT_EQ(runs(), 1u);
  EXPECT_THAT(measured.seconds, DoubleEq(1.01));
  EXPECT_EQ(measured.distribution.n, 1u);
  EXPECT_FALSE(measure(0.99).isPruned);
  EXPECT_EQ(runs(), 4u);
}

TEST_F(UnpairedTest, ASecondRunTellsLoadingFromRunning) {
  limits.bestSeconds = 1e-3;
  EXPECT_TRUE(measure(0.03).isPruned);
  EXPECT_EQ(runs(), 2u);
  EXPECT_FALSE(measureAfter(0.03, 1e-3).isPruned);
  EXPECT_EQ(runs(), 4u);
}

TEST_F(UnpairedTest, ADisturbedRunDoesNotPrune) {
  limits.bestSeconds = 1e-3;
  EXPECT_FALSE(measureAfter(1e-3, 1).isPruned);
}

TEST_F(UnpairedTest, ShortRunsAreNotPruned) {
  // The second run of a program of 10 us may take 40 us.
  limits.bestSeconds = 1e-5;
  EXPECT_FALSE(measure(4e-3).isPruned);
  EXPECT_EQ(runs(), 4u);
}

TEST_F(UnpairedTest, TheFactorIsAnOption) {
  limits.bestSeconds = 0.1;
  options.pruneFactor = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(measure(1000).isPruned);
  options.pruneFactor = 2;
  EXPECT_TRUE(measure(0.21).isPruned);
}

TEST_F(UnpairedTest, NoRunIsMadeOnceTimeIsUp) {
  limits.isTimeUp = [] { return true; };
  UnpairedMeasurement measured = measure(7);
  EXPECT_EQ(runs(), 1u);
  EXPECT_FALSE(measured.isPruned);
  EXPECT_THAT(measured.seconds, DoubleEq(7));
}

TEST_F(UnpairedTest, SamplesThatThereWasTimeForCount) {
  limits.isTimeUp = [this] { return sampler.entrants.size() == 2; };
  UnpairedMeasurement measured = measureAfter(9, 6);
  EXPECT_EQ(runs(), 3u);
  EXPECT_EQ(measured.distribution.n, 2u);
  EXPECT_THAT(measured.seconds, DoubleEq(6));
}
