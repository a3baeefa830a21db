//===- Tests for sessions on a contended device ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TuningFixture.h"

using namespace tonno;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

namespace {
class ContendedSessionTest : public TuningSessionTest {};
} // namespace

static RunResult busy(int) { return failedAs(Status::contended, "others ran"); }

TEST_F(ContendedSessionTest, CandidateThatOthersDisturbedIsPassedOver) {
  runner.measure = [](int x) {
    return x == 9 ? busy(x) : measuredAs((10 - x) / 10.0);
  };
  SessionOutcome outcome = run();
  EXPECT_EQ(outcome.comparison.verdict, Verdict::faster);
  EXPECT_EQ(outcome.chosen.indices[0], 8u);
}

TEST_F(ContendedSessionTest, TwinOfOneIsTimedItself) {
  // 4 and 8 have equal binaries.
  int runs = 0;
  compiler.compile = [](int x) { return compiled(x == 8 ? 4 : x); };
  runner.measure = [&](int x) {
    return x == 4 && runs++ == 0 ? busy(x) : measuredAs((10 - x) / 10.0);
  };
  SessionOutcome outcome = run();
  EXPECT_EQ(outcome.trials[4].status, Status::contended);
  EXPECT_EQ(outcome.trials[8].status, Status::ok);
}

TEST_F(ContendedSessionTest, SearchEndsWhereTheDeviceStaysBusy) {
  runner.measure = [](int x) {
    return x > 3 ? busy(x) : measuredAs((10 - x) / 10.0);
  };
  SessionOutcome outcome = run();
  EXPECT_THAT(outcome.trials, SizeIs(7));
  EXPECT_THAT(log.warnings,
              ElementsAre(HasSubstr("other processes use the device")));
  EXPECT_EQ(outcome.comparison.verdict, Verdict::faster);
  EXPECT_FALSE(outcome.isConclusive); // not what the budget would have found
}

TEST_F(ContendedSessionTest, WhatCouldNotBeTestedIsNoWinner) {
  runner.compare = busy;
  SessionOutcome outcome = run();
  EXPECT_EQ(outcome.comparison.verdict, Verdict::interrupted);
  EXPECT_FALSE(outcome.isConclusive);
  EXPECT_THAT(runner.compared, SizeIs(1)); // others would be no better off
  EXPECT_THAT(log.warnings, ElementsAre(HasSubstr("was not tested")));
}

TEST_F(ContendedSessionTest, BaselineThatStaysSoIsAnError) {
  runner.measure = busy;
  auto outcome = tryRun();
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().message, HasSubstr("others ran"));
  EXPECT_THAT(outcome.error().message, HasSubstr("--when-busy=measure"));
}
