//===- Regressions found, and false alarms --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Timing/Regression.h"

#include "FakeSampler.h"

#include <gmock/gmock.h>

using namespace tonno;

/// Returns the number of simulated checks that report a regression, where new
/// code takes `slowdown` times as long as old code.
static size_t countAlarms(double slowdown, NoisySampler::Machine machine,
                          size_t runs = 10000) {
  ProtocolOptions options = makeRegressionProtocol({}, usualRisk);
  options.warmupSeconds = 0.0015; // two launches of a millisecond
  machine.speedup = slowdown;     // of the old code, which is the candidate
  size_t alarms = 0;
  for (uint64_t seed = 0; seed < runs; ++seed) {
    NoisySampler sampler(machine, 5000 + seed);
    auto comparison = compareWithBaseline(sampler, options, seed);
    EXPECT_TRUE(comparison.ok());
    alarms +=
        judgeRegression(*comparison, options) == RegressionVerdict::slower;
  }
  testing::Test::RecordProperty("alarms", static_cast<int>(alarms));
  return alarms;
}

// 2 % noise of a sample, 0.5 % of a layout, outliers, a drift of 10 %.
static const NoisySampler::Machine usualMachine = {};

TEST(Regression, EqualCodeRaisesNoAlarm) {
  EXPECT_LE(countAlarms(1, usualMachine), 10u);
}

TEST(Regression, EqualCodeRaisesNoAlarmOnANoisyMachine) {
  // More than 5 would come once in 2000, where 1 is expected.
  EXPECT_LE(countAlarms(1, {.noise = 0.05, .layout = 0.02, .outliers = 0.1},
                        /*runs=*/1000),
            5u);
}

TEST(Regression, FasterCodeRaisesNoAlarm) {
  EXPECT_EQ(countAlarms(0.98, usualMachine), 0u);
}

TEST(Regression, SlowDownOfTwoPercentIsFound) {
  EXPECT_GE(countAlarms(1.02, usualMachine), 9900u);
}

TEST(Regression, LessRiskNeedsStrongerEvidence) {
  EXPECT_NEAR(makeRegressionProtocol({}, 0.001).fasterZ, 3.0902, 1e-3);
  EXPECT_NEAR(makeRegressionProtocol({}, 0.05).fasterZ, 1.6449, 1e-3);
  EXPECT_GT(makeRegressionProtocol({}, leastRisk).fasterZ, 5.9);
}

TEST(Regression, TestsOfSeveralProcessesMustAgree) {
  const ProtocolOptions options = makeRegressionProtocol({}, usualRisk);
  auto test = [&](double slowDown, Verdict verdict, double high) {
    Comparison comparison;
    comparison.verdict = verdict;
    comparison.speedup = slowDown;
    comparison.speedupInterval = {2 * slowDown - high, high};
    comparison.rounds = options.minRounds;
    return comparison;
  };
  const Comparison equal = test(0.999, Verdict::tie, 1.01);
  const Comparison nearly = test(1.003, Verdict::tie, 1.014);
  const Comparison slow = test(1.03, Verdict::faster, 1.04);
  const Comparison open = test(1.01, Verdict::tie, 1.03);
  using enum RegressionVerdict;
  auto conclude = [&](std::initializer_list<Comparison> tests) {
    return concludeTests({tests.begin(), tests.size()}, options);
  };
  EXPECT_EQ(conclude({}), std::nullopt);
  EXPECT_EQ(conclude({equal}), holds);
  EXPECT_EQ(conclude({nearly}), std::nullopt);
  EXPECT_EQ(conclude({slow}), std::nullopt);
  EXPECT_EQ(conclude({open}), std::nullopt);
  EXPECT_EQ(conclude({slow, slow}), slower);
  EXPECT_EQ(conclude({slow, equal}), std::nullopt);
  EXPECT_EQ(conclude({slow, equal, nearly}), holds);
  EXPECT_EQ(conclude({nearly, slow, slow}), slower);
  EXPECT_EQ(conclude({open, slow, slow}), slower);
  EXPECT_EQ(conclude({slow, equal, open}), undecided);
}

TEST(Regression, TestWithoutTimeToExcludeASlowDownDecidesNothing) {
  ProtocolOptions options = makeRegressionProtocol({}, usualRisk);
  options.warmupSeconds = 0.0015;
  options.maxRounds = options.firstLook = options.minRounds;
  NoisySampler::Machine noisy = {.noise = 0.3, .layout = 0.1};
  size_t held = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    NoisySampler sampler(noisy, seed);
    auto comparison = compareWithBaseline(sampler, options, seed);
    ASSERT_TRUE(comparison.ok());
    held += judgeRegression(*comparison, options) == RegressionVerdict::holds;
  }
  EXPECT_LT(held, 200 * 0.15) << "5 % noise of the mean excludes nothing";
}

TEST(Regression, FewRoundsDecideNothing) {
  ProtocolOptions options;
  Comparison comparison;
  comparison.verdict = Verdict::faster;
  comparison.rounds = options.minRounds - 1;
  EXPECT_EQ(judgeRegression(comparison, options), RegressionVerdict::undecided);
  comparison.rounds = options.minRounds;
  EXPECT_EQ(judgeRegression(comparison, options), RegressionVerdict::slower);
}
