//===- Tests for sessions with another objective than time ----------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TuningFixture.h"

using namespace tonno;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// Candidate x has `workspace(x)` bytes of workspace. By default, those of more
/// than 4 are slower and use less than the default.
class ObjectiveTest : public TuningSessionTest {
protected:
  ObjectiveTest() {
    opened.oracle.objective = Resource::workspace;
    compiler.compile = [this](int x) {
      Compilation compilation = compiled(x);
      compilation.artifact->usage.workspaceBytes = workspace(x);
      return compilation;
    };
    runner.measure = [this](int x) { return measuredAs(ratio(x)); };
    runner.compare = [this](int x) {
      double least = runner.requests.back().leastSpeedup.value_or(1.005);
      bool isShown = 1 / ratio(x) - 0.01 > least;
      return comparedAs(isShown ? Verdict::faster : Verdict::tie, 1 / ratio(x));
    };
  }

  const Trial &trial(const SessionOutcome &outcome, uint32_t x) {
    for (const Trial &each : outcome.trials)
      if (each.configuration.indices[0] == x)
        return each;
    ADD_FAILURE() << "no trial of " << x;
    return outcome.trials.front();
  }

  std::function<std::optional<uint64_t>(int)> workspace = [](int x) {
    return x > 4 ? 100 : 600;
  };
  std::function<double(int)> ratio = [](int x) {
    return x > 4 ? 1 + x / 10.0 : 1 - x / 10.0;
  };
};

/// Keeps the ratios that it is shown.
class RatioStrategy : public CountingStrategy {
public:
  void observe(std::span<const Trial> trials) override {
    for (const Trial &trial : trials)
      ratios.push_back(trial.measurement ? trial.measurement->ratio
                                         : trial.ratioBound.value_or(0));
  }
  std::vector<double> ratios;
};

} // namespace

TEST_F(ObjectiveTest, TheFastestOfTheLeastWins) {
  SessionOutcome outcome = run();
  EXPECT_EQ(chosen(outcome), 5u);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::less);
  EXPECT_NEAR(outcome.comparison.speedup, 1 / 1.5, 1e-9);
  ASSERT_TRUE(outcome.objective);
  EXPECT_EQ(outcome.objective->resource, Resource::workspace);
  EXPECT_EQ(outcome.objective->used, 100u);
  EXPECT_EQ(outcome.objective->baselineUsed, 600u);
  EXPECT_EQ(runner.requests.back().kind, RunRequest::Kind::verify)
      << "a winner is verified again";
}

TEST_F(ObjectiveTest, OnlyThoseOfTheLeastPlayFinals) {
  std::vector<int> played;
  runner.choose = [&](const std::vector<int> &finalists) {
    played = finalists;
    return rankedAs(std::vector<double>(finalists.size(), 0.01));
  };
  ratio = [](int x) { return x > 4 ? 1.5 : 0.5; };
  run();
  EXPECT_THAT(played, ElementsAre(5, 6, 7, 8, 9));
}

TEST_F(ObjectiveTest, WhatUsesMoreThanTheBestIsNotRun) {
  workspace = [](int x) { return x == 2 ? 100 : x < 2 ? 200 : 300; };
  SessionOutcome outcome = run();
  EXPECT_THAT(runner.measured, ElementsAre(0, 1, 2));
  EXPECT_EQ(trial(outcome, 3).status, Status::bounded);
  EXPECT_EQ(trial(outcome, 3).message,
            "its workspace is 300 bytes, that of the best 100 bytes");
  EXPECT_EQ(chosen(outcome), 2u);
}

TEST_F(ObjectiveTest, EqualUsageIsATestOfTime) {
  workspace = [](int) { return 600; };
  SessionOutcome outcome = run();
  EXPECT_EQ(chosen(outcome), 4u);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::faster);
  ratio = [](int x) { return x == 0 ? 1 : 1.2; };
  strategy.next = 1;
  SessionOutcome slower = run();
  EXPECT_EQ(chosen(slower), 0u);
  EXPECT_EQ(slower.comparison.verdict, Verdict::tie);
}

TEST_F(ObjectiveTest, MoreThanTheDefaultNeverWins) {
  workspace = [](int x) { return x == 0 ? 100 : 600; };
  SessionOutcome outcome = run();
  EXPECT_EQ(chosen(outcome), 0u);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::tie);
  EXPECT_THAT(runner.measured, ElementsAre(0));
}

TEST_F(ObjectiveTest, TheLimitOnTimeRejectsTrials) {
  opened.oracle.mostTime = 1.65;
  SessionOutcome outcome = run();
  EXPECT_EQ(chosen(outcome), 5u);
  EXPECT_EQ(trial(outcome, 6).status, Status::ok);
  EXPECT_EQ(trial(outcome, 7).status, Status::pruned);
  EXPECT_EQ(trial(outcome, 7).message,
            "it takes at least 1.69 times as long as the default, above the "
            "limit of 1.65");
}

TEST_F(ObjectiveTest, TheLimitOnTimeRejectsInTheTest) {
  opened.oracle.mostTime = 1.5; // the trial's interval reaches below
  ratio = [](int x) { return x == 5 ? 1.5 : x > 5 ? 2.0 : 1 - x / 10.0; };
  SessionOutcome outcome = run();
  EXPECT_EQ(chosen(outcome), 4u) << "the fastest that uses as much";
  EXPECT_EQ(outcome.comparison.verdict, Verdict::faster);
  EXPECT_EQ(trial(outcome, 5).status, Status::pruned);
  EXPECT_THAT(log.warnings,
              Contains(HasSubstr("not shown that it takes at most 1.5 "
                                 "times as long as the default")));
}

TEST_F(ObjectiveTest, WhoMayExceedTheLimitOnTimeBoundsNoOther) {
  opened.oracle.mostTime = 1.5; // which the interval of 1 contains
  workspace = [](int x) { return x == 1 ? 100 : x == 2 ? 200 : 600; };
  ratio = [](int x) { return x == 1 ? 1.5 : 0.9; };
  SessionOutcome outcome = run();
  EXPECT_EQ(trial(outcome, 1).status, Status::pruned);
  EXPECT_EQ(trial(outcome, 2).status, Status::ok);
  EXPECT_EQ(trial(outcome, 3).status, Status::bounded) << "by 2";
  EXPECT_EQ(chosen(outcome), 2u);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::less);
}

TEST_F(ObjectiveTest, ALimitThatAllExceedLeavesTheDefault) {
  opened.oracle.mostTime = 1.2;
  workspace = [](int x) { return x == 0 ? 600 : 100; };
  ratio = [](int x) { return x == 0 ? 1 : 2; };
  SessionOutcome outcome = run();
  EXPECT_EQ(chosen(outcome), 0u);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::tie);
  EXPECT_THAT(runner.compared, IsEmpty());
}

TEST_F(ObjectiveTest, ALimitBelowTheDefaultLeavesTheDefault) {
  opened.oracle.mostTime = 0.3;
  SessionOutcome outcome = run();
  EXPECT_EQ(chosen(outcome), 0u);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::tie);
  EXPECT_EQ(runner.requests.front().incumbentHigh,
            std::numeric_limits<double>::infinity());
  EXPECT_LE(runner.requests.at(1).incumbentHigh, 0.3);
}

TEST_F(ObjectiveTest, AFailureOfTheLeastLeavesTheNext) {
  ratio = [](int x) { return x > 4 ? 1.5 : 1 - x / 10.0; };
  runner.confirm = [](int x) {
    return x == 5 ? failedAs(Status::wrong, "off") : RunResult();
  };
  SessionOutcome outcome = run();
  EXPECT_EQ(chosen(outcome), 6u);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::less);
}

TEST_F(ObjectiveTest, UnknownUsageOfTheDefaultIsAnError) {
  workspace = [](int) { return std::nullopt; };
  auto outcome = tryRun();
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().message,
            "'--objective=workspace': tonno does not know the workspace of "
            "candidates on this target; omit it");
}

TEST_F(ObjectiveTest, UnknownUsageOfACandidateIsTheMost) {
  workspace = [](int x) -> std::optional<uint64_t> {
    return x == 3 ? std::nullopt : std::optional<uint64_t>(600);
  };
  SessionOutcome outcome = run();
  EXPECT_EQ(trial(outcome, 3).status, Status::bounded);
  EXPECT_EQ(trial(outcome, 3).message,
            "its workspace is unknown, that of the best 600 bytes");
}

TEST_F(ObjectiveTest, AnInterruptedSessionHasTheLeast) {
  interrupted = [this] { return strategy.observed.size() > 6; };
  SessionOutcome outcome = run();
  EXPECT_EQ(outcome.comparison.verdict, Verdict::interrupted);
  EXPECT_EQ(chosen(outcome), 5u);
}

TEST_F(ObjectiveTest, StrategiesSeeUsage) {
  RatioStrategy search;
  TuningSession session(space, compiler, &runner, search, log, opened, budget,
                        /*compileAhead=*/2, interrupted);
  ASSERT_TRUE(session.run().ok());
  ASSERT_EQ(search.ratios.size(), 10u);
  EXPECT_EQ(search.ratios[0], 1);
  EXPECT_LT(search.ratios[4], 1) << "less time";
  EXPECT_LT(search.ratios[9], 0.5 * search.ratios[4]) << "less workspace";
  EXPECT_LT(search.ratios[5], search.ratios[9]) << "the same in less time";
}
