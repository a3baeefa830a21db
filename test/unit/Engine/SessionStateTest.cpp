//===- Tests for reports of how far a session is --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TuningFixture.h"

using namespace tonno;

namespace {

/// Compilers and runner take time on a clock of the test.
class SessionStateTest : public TuningSessionTest {
protected:
  SessionStateTest() {
    compiler.compile = [this](int x) {
      now += 1;
      return compiled(x);
    };
    runner.measure = [this](int x) {
      now += 4; // half a second to reach the runner
      RunResult result = measuredAs((10 - x) / 10.0);
      result.seconds = 3.5;
      result.verifySeconds = 0.5;
      return result;
    };
  }

  void runTimed() {
    TuningSession session(
        space, compiler, &runner, strategy, log, opened, budget,
        /*compileAhead=*/1, [] { return false; }, [this] { return now; });
    now += 2; // the runner is opened
    ASSERT_TRUE(session.run().ok());
  }

  double now = 100;
};

} // namespace

TEST_F(SessionStateTest, PhasesFollowEachOther) {
  budget.trials = 3;
  runTimed();
  std::vector<SessionPhase> phases;
  for (const SessionState &state : log.states)
    if (phases.empty() || phases.back() != state.phase)
      phases.push_back(state.phase);
  EXPECT_EQ(phases, (std::vector{SessionPhase::baseline, SessionPhase::search,
                                 SessionPhase::finals, SessionPhase::test}));
}

TEST_F(SessionStateTest, TimesAreThoseThatTheSessionWaitedFor) {
  budget.trials = 2;
  runTimed();
  // After the baseline.
  const SessionState &state = log.states.at(1);
  EXPECT_EQ(state.phase, SessionPhase::search);
  EXPECT_DOUBLE_EQ(state.seconds, 7);
  EXPECT_DOUBLE_EQ(state.times.compiling, 1);
  EXPECT_DOUBLE_EQ(state.times.verifying, 2.5); // the reference among it
  EXPECT_DOUBLE_EQ(state.times.timing, 3);
  EXPECT_DOUBLE_EQ(state.times.idle, 0.5);
}

TEST_F(SessionStateTest, TheTimeLeftFollowsFromTheTrialsSoFar) {
  budget.trials = 5;
  runTimed();
  EXPECT_FALSE(log.states.at(1).phaseSecondsLeft);
  // A trial of five seconds has ended, and three are left.
  EXPECT_DOUBLE_EQ(log.states.at(2).phaseSecondsLeft.value(), 15);
  EXPECT_GT(log.states.at(2).sessionSecondsLeft.value(), 15);
  EXPECT_DOUBLE_EQ(log.states.at(5).phaseSecondsLeft.value(), 0);
}

TEST_F(SessionStateTest, TheSearchEndsWithItsSeconds) {
  budget.trials = 10;
  budget.seconds = 30;
  runTimed();
  EXPECT_LT(log.states.at(2).phaseSecondsLeft.value(), 30 - 12);
}

TEST_F(SessionStateTest, ContentionIsReported) {
  runner.measure = [](int x) {
    RunResult result = measuredAs((10 - x) / 10.0);
    result.measurement->contended = x == 1;
    return result;
  };
  budget.trials = 2;
  runTimed();
  EXPECT_FALSE(log.states.at(1).isContended);
  EXPECT_TRUE(log.states.at(2).isContended);
}
