//===- Seconds are kept to ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TuningFixture.h"

using namespace tonno;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// A session in which everything takes its seconds by a clock of the test's.
class BudgetedSessionTest : public testing::Test {
protected:
  /// A runner whose finals and test take all that they may, but at least some
  /// launches; and which runs the reference whenever it is opened.
  class SlowRunner : public FakeRunner {
  public:
    explicit SlowRunner(BudgetedSessionTest &test) : test(test) {}

    Result<void> open(const RunnerSession &session) override {
      test.now += test.openSeconds;
      return FakeRunner::open(session);
    }
    RunResult run(const RunRequest &request) override {
      test.waits.emplace_back(test.now, request.waitSeconds);
      double least = 0, most = 0;
      switch (request.kind) {
      case RunRequest::Kind::measure:
        least = most = test.trialSeconds;
        break;
      case RunRequest::Kind::choose:
        ++test.finals;
        least = 0.15 * test.trialSeconds *
                static_cast<double>(request.finalists.size() + 1);
        most = test.protocolSeconds;
        break;
      case RunRequest::Kind::compare:
        least = 0.9 * test.trialSeconds;
        most = test.protocolSeconds;
        test.secondsOfLastTest = request.seconds;
        break;
      case RunRequest::Kind::peaks:
      case RunRequest::Kind::results:
        break;
      case RunRequest::Kind::verify:
        least = most = 0.5 * test.trialSeconds;
        break;
      }
      double seconds = std::max(least, std::min(most, request.seconds));
      test.now += seconds;
      RunResult result = FakeRunner::run(request);
      result.seconds = seconds;
      return result;
    }

  private:
    BudgetedSessionTest &test;
  };

  SessionOutcome run() {
    FakeCompiler compiler;
    SlowRunner runner(*this);
    runner.measure = measure;
    runner.compare = compare;
    CountingStrategy strategy;
    TuningSession session(
        space, compiler, &runner, strategy, log, opened, {100, budget},
        /*compileAhead=*/2, [] { return false; }, [this] { return now; });
    EXPECT_TRUE(runner.open(opened).ok());
    auto outcome = session.run();
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    return outcome ? *outcome : SessionOutcome();
  }

  SearchSpace space = tenPoints();
  NotingLog log;
  RunnerSession opened;
  double now = 1000; ///< what the clock says
  double budget = 20, openSeconds = 0, trialSeconds = 1;
  double protocolSeconds = 20; ///< that finals and test would take
  int finals = 0;
  double secondsOfLastTest = 0;
  std::vector<std::pair<double, double>> waits; ///< when, and how long
  std::function<RunResult(int)> measure = [](int x) {
    return measuredAs(1 - x / 1000.0); // all of them may be the best
  };
  std::function<RunResult(int)> compare = [](int x) {
    return comparedAs(Verdict::faster, 1000.0 / (1000 - x));
  };
};

} // namespace

TEST_F(BudgetedSessionTest, EndsWithinItsSecondsAndOneTrial) {
  for (double open : {0.0, 0.5, 3.0})
    for (double trial : {0.1, 0.7, 1.0, 2.5, 4.0})
      for (double seconds : {6.0, 10.0, 20.0, 60.0}) {
        openSeconds = open;
        trialSeconds = trial;
        budget = seconds;
        double begin = now;
        run();
        EXPECT_LE(now - begin, std::max(seconds, open) + trial)
            << open << " s to open, " << trial << " s a trial, of " << seconds;
      }
}

TEST_F(BudgetedSessionTest, DevicesAreWaitedForWithinTheBudget) {
  double begin = now;
  run();
  ASSERT_GT(waits.size(), 2u);
  EXPECT_EQ(waits.front().second, budget); // the baseline's
  for (auto [at, wait] : waits) {
    EXPECT_GE(wait, 2);
    EXPECT_LE(at + wait, begin + std::max(1.2 * budget, at - begin + 2));
  }
}

TEST_F(BudgetedSessionTest, BaselineThatWaitedInVainIsAnError) {
  measure = [&](int) {
    now += budget;
    RunResult result =
        failedAs(Status::contended, "process 4711 of user ann has it");
    result.deviceHeld = true;
    return result;
  };
  FakeCompiler compiler;
  SlowRunner runner(*this);
  runner.measure = measure;
  CountingStrategy strategy;
  TuningSession session(
      space, compiler, &runner, strategy, log, opened, {100, budget},
      /*compileAhead=*/2, [] { return false; }, [this] { return now; });
  auto outcome = session.run();
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().message,
              testing::AllOf(HasSubstr("process 4711 of user ann"),
                             HasSubstr("--budget-seconds"),
                             testing::Not(HasSubstr("--when-busy"))));
  EXPECT_EQ(waits.size(), 1u); // it does not wait again
}

TEST_F(BudgetedSessionTest, LongFinalsAndTestsGetWhatIsLeft) {
  SessionOutcome outcome = run();
  EXPECT_EQ(finals, 1);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::faster);
  EXPECT_TRUE(outcome.isConclusive);
  EXPECT_GE(outcome.seconds, 16);
  EXPECT_THAT(log.warnings, IsEmpty());
}

TEST_F(BudgetedSessionTest, WhatFailsTheTestAgainAndAgainEndsWithTheBudget) {
  compare = [](int) { return failedAs(Status::wrong, "element 3"); };
  double begin = now;
  SessionOutcome outcome = run();
  EXPECT_LE(now - begin, budget + trialSeconds);
  EXPECT_EQ(chosen(outcome), 0u);
  EXPECT_FALSE(outcome.isConclusive);
  EXPECT_FALSE(outcome.isCutShort); // to go on would end so again
  EXPECT_THAT(log.warnings, Contains(HasSubstr("the default stays")));
}

TEST_F(BudgetedSessionTest, TooFewSecondsAreSaid) {
  budget = 1.5;
  openSeconds = 1;
  SessionOutcome outcome = run();
  EXPECT_EQ(outcome.trials.size(), 1u);
  EXPECT_THAT(log.warnings,
              Contains(HasSubstr("seconds do not suffice for a candidate")));
}

TEST_F(BudgetedSessionTest, WithoutAnEndAllIsTried) {
  budget = std::numeric_limits<double>::infinity();
  EXPECT_EQ(run().trials.size(), 10u);
  EXPECT_EQ(finals, 1);
}

TEST_F(BudgetedSessionTest, WhatTheStrategyTakesIsKnown) {
  struct Slow : CountingStrategy {
    explicit Slow(double &now) : now(now) {}
    std::vector<Configuration> propose(size_t n) override {
      now += 0.25;
      return CountingStrategy::propose(n);
    }
    void observe(std::span<const Trial> trials) override {
      now += 0.5;
      CountingStrategy::observe(trials);
    }
    double &now;
  } strategy(now);
  FakeCompiler compiler;
  FakeRunner runner;
  TuningSession session(
      space, compiler, &runner, strategy, log, opened, {5, 1000},
      /*compileAhead=*/2, [] { return false; }, [this] { return now; });
  auto outcome = session.run();
  ASSERT_TRUE(outcome.ok());
  // The default is observed, but not proposed.
  EXPECT_DOUBLE_EQ(outcome->proposingSeconds, 4 * 0.25 + 5 * 0.5);
  EXPECT_DOUBLE_EQ(outcome->seconds, outcome->proposingSeconds);
}

TEST_F(BudgetedSessionTest, TestOfFewRoundsDecidesNothing) {
  compare = [](int) {
    RunResult result = comparedAs(Verdict::tie, 20);
    result.comparison->rounds = 15;
    return result;
  };
  SessionOutcome outcome = run();
  EXPECT_EQ(chosen(outcome), 0u);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::tie);
  EXPECT_EQ(outcome.comparison.rounds, 0u);
  EXPECT_FALSE(outcome.isConclusive);
  EXPECT_THAT(log.warnings,
              testing::ElementsAre(testing::AllOf(
                  HasSubstr("15 rounds"), HasSubstr("--budget-seconds"))));
}

TEST_F(BudgetedSessionTest, OpeningTheRunnerAgainTakesNothingFromTheTest) {
  // A model whose reference takes long.
  budget = 180, openSeconds = 31;
  double given = 0;
  compare = [&](int) {
    given = secondsOfLastTest;
    return comparedAs(Verdict::faster, 2);
  };
  run();
  EXPECT_GE(given, 10);
}

TEST_F(BudgetedSessionTest, EachDecisionStatesItsCacheState) {
  opened.protocol.cacheState = CacheState::warm;
  EXPECT_EQ(run().comparison.cacheState, CacheState::warm);
  compare = [](int) { return failedAs(Status::wrong, "element 3"); };
  EXPECT_EQ(run().comparison.cacheState, CacheState::warm); // without a test
}
