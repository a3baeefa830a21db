//===- Tests for sessions with limits on resources ------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TuningFixture.h"

using namespace tonno;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

/// Candidate x has `workspace(x)` bytes of workspace, and is the faster the
/// larger x is.
class UsageLimitsTest : public TuningSessionTest {
protected:
  UsageLimitsTest() {
    opened.oracle.limits = {{Resource::workspace, 600}};
    compiler.compile = [this](int x) {
      Compilation compilation = compiled(x);
      compilation.artifact->usage.workspaceBytes = workspace(x);
      return compilation;
    };
    runner.measure = [](int x) { return measuredAs((10 - x) / 10.0); };
    runner.compare = [](int) { return comparedAs(Verdict::faster, 2); };
  }

  std::function<uint64_t(int)> workspace = [](int x) { return 100 * x; };
};

} // namespace

TEST_F(UsageLimitsTest, WhatUsesMoreIsNotRun) {
  SessionOutcome outcome = run();
  EXPECT_THAT(runner.measured, ElementsAre(0, 1, 2, 3, 4, 5, 6));
  EXPECT_EQ(chosen(outcome), 6u);
  const Trial &last = outcome.trials.back();
  EXPECT_EQ(last.status, Status::over_limit);
  EXPECT_EQ(last.message,
            "workspace is 900 bytes, above the limit of 600 bytes");
  EXPECT_FALSE(last.measurement);
  EXPECT_EQ(strategy.observed.size(), 10u);
}

TEST_F(UsageLimitsTest, ADefaultOverTheLimitIsNoBaseline) {
  workspace = [](int x) { return x == 0 ? 601 : 100 * x; };
  SessionOutcome outcome = run();
  EXPECT_THAT(runner.measured, Not(Contains(0)));
  EXPECT_EQ(outcome.comparison.verdict, Verdict::no_baseline);
  EXPECT_EQ(chosen(outcome), 6u);
}

TEST_F(UsageLimitsTest, NothingWithinTheLimitIsAnError) {
  workspace = [](int) { return 601; };
  auto outcome = tryRun();
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().message,
              HasSubstr("10 over_limit, first {\"X\":0}: workspace is 601"));
}

TEST_F(UsageLimitsTest, SurveysCountThem) {
  TuningSession session(space, compiler, /*runner=*/nullptr, strategy, log,
                        opened, budget, /*compileAhead=*/2, interrupted);
  auto surveyed = session.survey();
  ASSERT_TRUE(surveyed.ok()) << surveyed.error().message;
  EXPECT_EQ(
      std::ranges::count(surveyed->trials, Status::over_limit, &Trial::status),
      3);
}
