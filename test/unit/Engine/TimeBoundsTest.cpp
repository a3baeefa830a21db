//===- Candidates that cannot win are not measured ------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TuningFixture.h"

using namespace tonno;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

/// Candidate x takes `seconds(x)`, and its binary states `bound(x)`. The
/// default takes a millisecond.
class TimeBoundsTest : public TuningSessionTest {
protected:
  TimeBoundsTest() {
    compiler.compile = [this](int x) {
      Compilation compilation = compiled(x);
      if (std::optional<double> seconds = bound(x))
        compilation.artifact->usage.timeBound = {.seconds = *seconds,
                                                 .limit = limit};
      return compilation;
    };
    runner.measure = [this](int x) { return measuredAs(1e3 * seconds(x)); };
    runner.compare = [](int) { return comparedAs(Verdict::faster, 2); };
  }

  SessionOutcome tune() {
    TuningSession session(space, compiler, &runner, strategy, log, opened,
                          budget, /*compileAhead=*/2, interrupted);
    session.setTimeBounds(timeBounds);
    auto outcome = session.run();
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    return outcome ? *outcome : SessionOutcome();
  }

  static std::vector<uint32_t> getBounded(const SessionOutcome &outcome) {
    std::vector<uint32_t> bounded;
    for (const Trial &trial : outcome.trials)
      if (trial.status == Status::bounded)
        bounded.push_back(trial.configuration.indices[0]);
    return bounded;
  }

  TimeBounds timeBounds = TimeBounds::use;
  std::string limit; ///< what bounds are by
  std::function<double(int)> seconds = [](int x) {
    return x == 2 ? 0.5e-3 : 1e-3 + 0.1e-3 * x;
  };
  std::function<std::optional<double>(int)> bound = [this](int x) {
    return 0.9 * seconds(x);
  };
};

} // namespace

TEST_F(TimeBoundsTest, WhatCannotWinIsNotMeasured) {
  SessionOutcome outcome = tune();
  EXPECT_THAT(runner.measured, ElementsAre(0, 1, 2));
  EXPECT_THAT(getBounded(outcome), ElementsAre(3, 4, 5, 6, 7, 8, 9));
  EXPECT_EQ(chosen(outcome), 2u);
  EXPECT_THAT(log.warnings, IsEmpty());
  const Trial &last = outcome.trials.back();
  EXPECT_FALSE(last.measurement);
  EXPECT_DOUBLE_EQ(last.usage.timeBound->seconds, 0.9 * seconds(9));
  EXPECT_NEAR(*last.ratioBound, 0.9 * seconds(9) / 1e-3, 1e-9);
  EXPECT_THAT(last.message, HasSubstr("its time bound, 1.71 ms"));
  // The strategy learns of each.
  EXPECT_EQ(strategy.observed.size(), 10u);
}

TEST_F(TimeBoundsTest, WhatMayBeCloseIsMeasured) {
  bound = [](int x) { return x == 3 ? 0.549e-3 : x == 4 ? 0.551e-3 : 0.1e-3; };
  SessionOutcome outcome = tune();
  EXPECT_THAT(getBounded(outcome), ElementsAre(4));
  EXPECT_THAT(runner.measured, Contains(3));
}

TEST_F(TimeBoundsTest, UnknownBoundsPruneNothing) {
  bound = [](int) { return std::nullopt; };
  EXPECT_THAT(getBounded(tune()), IsEmpty());
}

/// Such bounds hold for cold caches only.
TEST_F(TimeBoundsTest, BoundsByMemoryAndLatencyPruneNothing) {
  for (const char *name : {"DRAM", "peak", "latency"}) {
    strategy = CountingStrategy();
    limit = name;
    bound = [this](int x) { return 2 * seconds(x); };
    EXPECT_THAT(getBounded(tune()), IsEmpty());
    EXPECT_THAT(log.warnings, IsEmpty());
  }
}

TEST_F(TimeBoundsTest, BestIsNeverPrunedIfBoundsHold) {
  for (uint32_t best = 1; best < 10; ++best)
    for (double tightness : {0.1, 0.5, 0.9, 1.0}) {
      strategy = CountingStrategy();
      runner.measured.clear();
      seconds = [=](int x) {
        return 1e-4 * (1 + (7 * x + 10 - 7 * static_cast<int>(best) % 10) % 10);
      };
      bound = [&](int x) { return tightness * seconds(x); };
      SessionOutcome outcome = tune();
      uint32_t fastest = 0;
      for (uint32_t x = 0; x < 10; ++x)
        if (seconds(static_cast<int>(x)) < seconds(static_cast<int>(fastest)))
          fastest = x;
      EXPECT_THAT(getBounded(outcome), Not(Contains(fastest)));
      EXPECT_THAT(runner.measured, Contains(fastest));
      EXPECT_THAT(log.warnings, IsEmpty());
    }
}

TEST_F(TimeBoundsTest, BrokenBoundIsReportedAndEndsPruning) {
  bound = [this](int x) { return (x == 4 ? 1.1 : 0.9) * seconds(x); };
  seconds = [](int x) { return x == 4 ? 0.5e-3 : x == 2 ? 0.6e-3 : 1e-3; };
  SessionOutcome outcome = tune();
  EXPECT_THAT(getBounded(outcome), ElementsAre(3));
  EXPECT_EQ(chosen(outcome), 4u);
  ASSERT_EQ(log.warnings.size(), 1u);
  EXPECT_THAT(log.warnings[0], HasSubstr("{\"X\":4}"));
  EXPECT_THAT(log.warnings[0], HasSubstr("it took 500.0 us"));
  EXPECT_THAT(log.warnings[0], HasSubstr("bound of 550.0 us"));
}

TEST_F(TimeBoundsTest, BrokenBoundOfTheDefaultEndsPruning) {
  bound = [](int x) { return x == 0 ? 1.5e-3 : 2e-3; };
  EXPECT_THAT(getBounded(tune()), IsEmpty());
  EXPECT_EQ(log.warnings.size(), 1u);
}

TEST_F(TimeBoundsTest, RecordedBoundsPruneNothing) {
  timeBounds = TimeBounds::record;
  bound = [this](int x) { return (x == 9 ? 1.5 : 0.9) * seconds(x); };
  SessionOutcome outcome = tune();
  EXPECT_THAT(getBounded(outcome), IsEmpty());
  EXPECT_TRUE(outcome.trials.back().usage.timeBound);
  EXPECT_EQ(log.warnings.size(), 1u);
}

TEST_F(TimeBoundsTest, BoundsThatAreOffAreDropped) {
  timeBounds = TimeBounds::off;
  bound = [this](int x) { return 1.5 * seconds(x); };
  SessionOutcome outcome = tune();
  EXPECT_THAT(getBounded(outcome), IsEmpty());
  for (const Trial &trial : outcome.trials)
    EXPECT_FALSE(trial.usage.timeBound);
  EXPECT_THAT(log.warnings, IsEmpty());
}

TEST_F(TimeBoundsTest, FourOfThemCountAsOneOfTheBudget) {
  budget.trials = 4;
  SessionOutcome outcome = tune();
  // 0, 1 and 2 are measured; the fourth trial is 3 to 6.
  EXPECT_THAT(getBounded(outcome), ElementsAre(3, 4, 5, 6));
}

TEST_F(TimeBoundsTest, TwinOfOneThatWasNotRunIsRunOnceBoundsAreBroken) {
  seconds = [](int x) { return x == 5 ? 0.5e-3 : 1e-3; };
  compiler.compile = [](int x) {
    Compilation compilation = compiled(x == 6 ? 3 : x);
    compilation.artifact->usage.timeBound = {
        .seconds = x == 3 || x == 6 ? 1.2e-3 : (x == 5 ? 1.0 : 0.9) * 1e-3};
    return compilation;
  };
  SessionOutcome outcome = tune();
  EXPECT_THAT(getBounded(outcome), ElementsAre(3));
  EXPECT_THAT(runner.measured, Contains(3)); // as 6
}

TEST_F(TimeBoundsTest, SurveysRunAll) {
  TuningSession session(space, compiler, &runner, strategy, log, opened, budget,
                        /*compileAhead=*/2, interrupted);
  auto survey = session.survey();
  ASSERT_TRUE(survey.ok());
  for (const Trial &trial : survey->trials)
    EXPECT_EQ(trial.status, Status::ok);
}
