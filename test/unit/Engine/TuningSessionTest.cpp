//===- The loop, with fakes -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TuningFixture.h"

using namespace tonno;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

TEST_F(TuningSessionTest, FindsTheBest) {
  runner.measure = [](int x) { return measuredAs(x == 4 ? 0.5 : 1 + x); };
  SessionOutcome outcome = run();
  EXPECT_EQ(chosen(outcome), 4u);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::faster);
  EXPECT_EQ(outcome.comparison.rounds, 64u);
  EXPECT_EQ(outcome.artifactHash, hashOf(4));
  EXPECT_THAT(outcome.trials, SizeIs(10));
  EXPECT_THAT(runner.compared, ElementsAre(4)); // the best alone is tested
}

TEST_F(TuningSessionTest, MeasuresTheDefaultFirstAndAllBesideIt) {
  run();
  EXPECT_EQ(runner.measured.front(), 0);
  for (const RunRequest &request : runner.requests)
    if (request.kind != RunRequest::Kind::verify)
      EXPECT_EQ(request.baseline.binary, compiled(0).artifact->binary);
}

TEST_F(TuningSessionTest, TellsTheRunnerHowGoodTheIncumbentIs) {
  runner.measure = [](int x) {
    return measuredAs(x == 2 ? 0.5 : x == 0 ? 1 : 0.8);
  };
  run();
  std::vector<double> highs;
  for (const RunRequest &request : runner.requests)
    if (request.kind == RunRequest::Kind::measure)
      highs.push_back(request.incumbentHigh);
  EXPECT_EQ(highs[0], std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(highs[1], 1.01);
  EXPECT_DOUBLE_EQ(highs[2], 0.81);
  for (size_t i = 3; i < highs.size(); ++i)
    EXPECT_DOUBLE_EQ(highs[i], 0.51);
}

TEST_F(TuningSessionTest, SmallGainsTakeNoLead) {
  // The intervals extend 0.01 to either side.
  runner.measure = [](int x) {
    return measuredAs(x == 1 ? 0.80 : x == 2 ? 0.78 : x == 3 ? 0.77 : 1);
  };
  run();
  std::vector<double> highs;
  for (const RunRequest &request : runner.requests)
    if (request.kind == RunRequest::Kind::measure)
      highs.push_back(request.incumbentHigh);
  EXPECT_DOUBLE_EQ(highs[2], 0.81);
  EXPECT_DOUBLE_EQ(highs[3], 0.81); // 0.79 is not below 0.97 of it
  EXPECT_DOUBLE_EQ(highs[4], 0.78);
}

TEST_F(TuningSessionTest, WhatNeedsLessWinsAmongEquals) {
  compiler.compile = [](int x) {
    Compilation compilation = compiled(x);
    compilation.artifact->usage.registers = x == 4 ? 40 : 48;
    return compilation;
  };
  // 4 is within a thousandth of 2, the fastest; 6 is not, and needs as little.
  runner.measure = [](int x) {
    return measuredAs(x == 2   ? 0.5000
                      : x == 4 ? 0.5004
                      : x == 6 ? 0.5010
                               : 0.9);
  };
  runner.compare = [](int) { return comparedAs(Verdict::faster, 2); };
  SessionOutcome outcome = run();
  EXPECT_EQ(outcome.chosen.indices[0], 4u);
  EXPECT_FALSE(outcome.tied.has_value());
  EXPECT_THAT(runner.compared, ElementsAre(4));
}

TEST_F(TuningSessionTest, TieKeepsTheDefault) {
  runner.compare = [](int) { return comparedAs(Verdict::tie, 1.003); };
  SessionOutcome outcome = run();
  EXPECT_EQ(chosen(outcome), 0u);
  EXPECT_EQ(outcome.artifactHash, hashOf(0));
  EXPECT_EQ(outcome.comparison.verdict, Verdict::tie);
  EXPECT_DOUBLE_EQ(outcome.comparison.speedup, 1.003);
  EXPECT_THAT(runner.compared, ElementsAre(9));
  ASSERT_TRUE(outcome.tied.has_value());
  EXPECT_EQ(outcome.tied->indices[0], 9u);
}

TEST_F(TuningSessionTest, SlowerCandidatesAreNoWinners) {
  runner.measure = [](int x) { return measuredAs(1 + x); };
  runner.compare = [](int) { return comparedAs(Verdict::tie, 0.5); };
  EXPECT_EQ(chosen(run()), 0u);
}

TEST_F(TuningSessionTest, DefaultThatDoesNotCompileGivesNoBaseline) {
  compiler.compile = [](int x) {
    return x == 0 ? Compilation{Status::compile_error, "no", std::nullopt, 0}
                  : compiled(x);
  };
  SessionOutcome outcome = run();
  EXPECT_EQ(chosen(outcome), 9u);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::no_baseline);
  EXPECT_EQ(outcome.comparison.baselineSeconds.n, 0u);
  EXPECT_GT(outcome.comparison.seconds.n, 0u);
  // The first that ran stands in.
  EXPECT_EQ(runner.requests.back().baseline.binary,
            compiled(1).artifact->binary);
}

TEST_F(TuningSessionTest, DefaultThatIsWrongGivesNoBaseline) {
  runner.measure = [](int x) {
    return x < 3 ? failedAs(Status::wrong, "off") : measuredAs(1.0 / x);
  };
  SessionOutcome outcome = run();
  EXPECT_EQ(outcome.comparison.verdict, Verdict::no_baseline);
  EXPECT_EQ(chosen(outcome), 9u);
  EXPECT_EQ(outcome.trials.front().status, Status::wrong);
  EXPECT_EQ(runner.requests.back().baseline.binary,
            compiled(3).artifact->binary);
}

TEST_F(TuningSessionTest, EveryCandidateFailingIsATableOfReasons) {
  compiler.compile = [](int x) {
    return x % 2 ? Compilation{Status::compile_error,
                               "odd " + std::to_string(x), std::nullopt, 0}
                 : compiled(x);
  };
  runner.measure = [](int x) {
    return failedAs(Status::wrong, "even " + std::to_string(x));
  };
  auto outcome = tryRun();
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().message,
              AllOf(HasSubstr("no candidate ran correctly, of 10"),
                    HasSubstr("5 compile_error, first {\"X\":1}: odd 1"),
                    HasSubstr("5 wrong, first {\"X\":0}: even 0")));
  EXPECT_THAT(runner.compared, IsEmpty());
}

TEST_F(TuningSessionTest, EqualBinariesAreRunOnce) {
  compiler.compile = [](int x) { return compiled(x / 2); };
  SessionOutcome outcome = run();
  EXPECT_THAT(runner.measured, ElementsAre(0, 1, 2, 3, 4));
  ASSERT_THAT(outcome.trials, SizeIs(10));
  EXPECT_EQ(outcome.trials[9].measurement->ratio,
            outcome.trials[8].measurement->ratio);
  EXPECT_EQ(outcome.artifactHash, hashOf(4));
}

TEST_F(TuningSessionTest, EqualBinariesTakeOnePlaceOfTheFinals) {
  compiler.compile = [](int x) { return compiled(x / 2); };
  runner.measure = [](int) { return measuredAs(1); };
  std::vector<int> played;
  runner.choose = [&](const auto &finalists) {
    played.assign(finalists.begin(), finalists.end());
    return rankedAs(std::vector<double>(finalists.size(), 0.01));
  };
  run();
  EXPECT_THAT(played, testing::UnorderedElementsAre(1, 2, 3, 4));
}

TEST_F(TuningSessionTest, TwinsFailTheTestTogether) {
  compiler.compile = [](int x) { return compiled(x / 2); };
  runner.compare = [](int x) {
    return x == 4 ? failedAs(Status::wrong, "off at last")
                  : comparedAs(Verdict::faster, 2);
  };
  SessionOutcome outcome = run();
  for (size_t twin : {8, 9}) {
    EXPECT_EQ(outcome.trials[twin].status, Status::wrong);
    EXPECT_EQ(outcome.trials[twin].message, "off at last");
  }
  EXPECT_THAT(log.amended, SizeIs(2));
  EXPECT_EQ(outcome.artifactHash, hashOf(3));
}

TEST_F(TuningSessionTest, TwinsShareAFailure) {
  compiler.compile = [](int x) { return compiled(x / 2); };
  runner.measure = [](int x) {
    return x == 4 ? failedAs(Status::wrong, "off") : measuredAs(1 - x * 0.1);
  };
  SessionOutcome outcome = run();
  EXPECT_EQ(outcome.trials[8].status, Status::wrong);
  EXPECT_EQ(outcome.trials[9].status, Status::wrong);
  EXPECT_EQ(outcome.trials[9].message, "off");
  EXPECT_EQ(outcome.artifactHash, hashOf(3));
}

TEST_F(TuningSessionTest, TwinOfALostTrialIsRunItself) {
  // An environmental failure of a candidate says nothing about its twin.
  compiler.compile = [](int x) { return compiled(x / 2); };
  int runs = 0;
  runner.measure = [&](int x) {
    return x == 4 && runs++ == 0 ? failedAs(Status::lost, "gone")
                                 : measuredAs(1 - x * 0.1);
  };
  SessionOutcome outcome = run();
  EXPECT_EQ(outcome.trials[8].status, Status::lost);
  EXPECT_EQ(outcome.trials[9].status, Status::ok);
  EXPECT_EQ(chosen(outcome), 9u);
}

TEST_F(TuningSessionTest, WhatAllCandidatesAreLostToKeepsTheBestSoFar) {
  runner.measure = [](int x) {
    return x > 4 ? failedAs(Status::lost, "no route to host")
                 : measuredAs(1 - x * 0.1);
  };
  SessionOutcome outcome = run();
  EXPECT_THAT(outcome.trials, SizeIs(8)); // three of them in vain
  EXPECT_EQ(outcome.comparison.verdict, Verdict::interrupted);
  EXPECT_EQ(chosen(outcome), 4u);
  EXPECT_FALSE(outcome.isConclusive);
  EXPECT_TRUE(outcome.isCutShort);
  EXPECT_THAT(runner.compared, IsEmpty());
  EXPECT_THAT(log.warnings, ElementsAre(HasSubstr("no route to host")));
}

TEST_F(TuningSessionTest, SoItDoesWithoutABaseline) {
  runner.measure = [](int x) {
    return x == 0  ? failedAs(Status::wrong, "off")
           : x > 4 ? failedAs(Status::lost, "no route to host")
                   : measuredAs(1 - x * 0.1);
  };
  SessionOutcome outcome = run();
  EXPECT_EQ(outcome.comparison.verdict, Verdict::interrupted);
  EXPECT_EQ(chosen(outcome), 4u);
  EXPECT_FALSE(outcome.isConclusive);
}

TEST_F(TuningSessionTest, TwinsOfTheDefaultAreNotTestedAgainstIt) {
  compiler.compile = [](int) { return compiled(0); };
  SessionOutcome outcome = run();
  EXPECT_THAT(runner.requests, SizeIs(1));
  EXPECT_EQ(chosen(outcome), 0u);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::tie);
  EXPECT_EQ(outcome.comparison.speedup, 1);
}

TEST_F(TuningSessionTest, InterruptedKeepsTheIncumbentUntested) {
  interrupted = [this] { return runner.measured.size() >= 4; };
  SessionOutcome outcome = run();
  EXPECT_EQ(outcome.comparison.verdict, Verdict::interrupted);
  EXPECT_EQ(chosen(outcome), 3u);
  EXPECT_EQ(outcome.artifactHash, hashOf(3));
  EXPECT_EQ(outcome.comparison.rounds, 0u);
  EXPECT_NEAR(outcome.comparison.speedup, 1 / 0.7, 1e-9);
  EXPECT_LT(outcome.comparison.speedupInterval.low, 1 / 0.7);
  EXPECT_GT(outcome.comparison.speedupInterval.high, 1 / 0.7);
  EXPECT_THAT(runner.compared, IsEmpty());
}

TEST_F(TuningSessionTest, InterruptedWithNothingBetterKeepsTheDefault) {
  runner.measure = [](int x) { return measuredAs(1 + x); };
  interrupted = [this] { return runner.measured.size() >= 4; };
  SessionOutcome outcome = run();
  EXPECT_EQ(outcome.comparison.verdict, Verdict::interrupted);
  EXPECT_EQ(chosen(outcome), 0u);
  EXPECT_EQ(outcome.comparison.speedup, 1);
}

TEST_F(TuningSessionTest, InterruptedWithoutBaseline) {
  runner.measure = [](int x) {
    return x == 0 ? failedAs(Status::hang, "") : measuredAs(1.0 / x);
  };
  // The default is tried twice.
  interrupted = [this] { return runner.measured.size() >= 5; };
  SessionOutcome outcome = run();
  EXPECT_EQ(outcome.comparison.verdict, Verdict::interrupted);
  EXPECT_EQ(chosen(outcome), 3u);
}

TEST_F(TuningSessionTest, BaselineLostOnceIsTriedAgain) {
  runner.measure = [this](int x) {
    return runner.measured.size() == 1 ? failedAs(Status::lost, "away")
                                       : measuredAs(1.0 / (1 + x));
  };
  SessionOutcome outcome = run();
  EXPECT_EQ(outcome.trials.front().status, Status::ok);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::faster);
  EXPECT_TRUE(outcome.isConclusive);
}

TEST_F(TuningSessionTest, BudgetOfTrialsCountsTheBaseline) {
  budget.trials = 4;
  SessionOutcome outcome = run();
  EXPECT_THAT(outcome.trials, SizeIs(4));
  EXPECT_THAT(compiler.submitted, ElementsAre(0, 1, 2, 3)); // none in vain
  EXPECT_EQ(chosen(outcome), 3u);
}

TEST_F(TuningSessionTest, BudgetOfOneIsTheBaseline) {
  budget.trials = 1;
  SessionOutcome outcome = run();
  EXPECT_THAT(outcome.trials, SizeIs(1));
  EXPECT_EQ(outcome.comparison.verdict, Verdict::tie);
}

TEST_F(TuningSessionTest, BudgetOfNoTimeIsTheBaseline) {
  budget.seconds = 0;
  EXPECT_THAT(run().trials, SizeIs(1));
}

TEST_F(TuningSessionTest, OneCompilesWhileAnotherRuns) {
  bool ahead = false;
  runner.measure = [&](int x) {
    ahead = ahead || compiler.submitted.back() == x + 1;
    return measuredAs(1);
  };
  run();
  EXPECT_TRUE(ahead);
  EXPECT_EQ(compiler.mostOpen, 2u);
}

TEST_F(TuningSessionTest, RecalledTrialsAreNeitherCompiledNorRun) {
  log.known = {{3, Status::wrong}, {9, Status::compile_error}};
  budget.trials = 10;
  SessionOutcome outcome = run();
  EXPECT_THAT(compiler.submitted, ElementsAre(0, 1, 2, 4, 5, 6, 7, 8));
  EXPECT_THAT(runner.measured, Not(testing::Contains(9)));
  EXPECT_EQ(chosen(outcome), 8u);
  // Recalled trials count, and the strategy observes them.
  EXPECT_THAT(outcome.trials, SizeIs(10));
  EXPECT_THAT(strategy.observed, testing::Contains(3u));
}

TEST_F(TuningSessionTest, AllRecalledIsNoWork) {
  for (uint32_t x = 1; x < 10; ++x)
    log.known[x] = Status::wrong;
  SessionOutcome outcome = run();
  EXPECT_THAT(compiler.submitted, ElementsAre(0));
  EXPECT_EQ(outcome.comparison.verdict, Verdict::tie);
}

TEST_F(TuningSessionTest, WhoFailsTheTestLosesToTheNext) {
  runner.compare = [](int x) {
    return x >= 8 ? failedAs(Status::nondeterministic, "flaky")
                  : comparedAs(Verdict::faster, 3);
  };
  SessionOutcome outcome = run();
  EXPECT_THAT(runner.compared, ElementsAre(9, 8, 7));
  EXPECT_EQ(chosen(outcome), 7u);
  EXPECT_EQ(outcome.artifactHash, hashOf(7));
  EXPECT_EQ(outcome.trials[9].status, Status::nondeterministic);
  EXPECT_EQ(outcome.trials[9].message, "flaky");
}

TEST_F(TuningSessionTest, AllFailingTheTestKeepsTheDefault) {
  runner.compare = [](int) { return failedAs(Status::fault, ""); };
  SessionOutcome outcome = run();
  EXPECT_EQ(chosen(outcome), 0u);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::tie);
}

TEST_F(TuningSessionTest, PrunedTrialsAreNoWinners) {
  runner.measure = [](int x) {
    RunResult result = measuredAs(x == 0 ? 1 : 0.9 - 0.01 * x);
    if (x == 9)
      result.status = Status::pruned;
    return result;
  };
  EXPECT_EQ(chosen(run()), 8u);
}

TEST_F(TuningSessionTest, EverybodyIsToldOfEveryTrial) {
  compiler.compile = [](int x) {
    return x == 2 ? Compilation{Status::compile_crash, "", std::nullopt, 0}
                  : compiled(x);
  };
  SessionOutcome outcome = run();
  std::vector<uint32_t> all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(strategy.observed, all);
  EXPECT_EQ(log.recorded, all);
  EXPECT_THAT(log.incumbents, ElementsAre(0, 1, 1, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_EQ(outcome.trials[1].compileSeconds, 0.25);
  EXPECT_EQ(outcome.trials[1].runSeconds, 0.5);
  EXPECT_EQ(outcome.trials[1].artifactHash, hashOf(1));
}
