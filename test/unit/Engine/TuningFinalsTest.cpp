//===- Tests for finals ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TuningFixture.h"

using namespace tonno;
using testing::ElementsAre;
using testing::HasSubstr;

using TuningFinalsTest = TuningSessionTest;

TEST_F(TuningFinalsTest, FinalsDecideWhatIsTested) {
  // In trials, all candidates are within 2 % of each other, and 9 is the best.
  runner.measure = [](int x) { return measuredAs(1 - 0.002 * x); };
  runner.choose = [](const std::vector<int> &finalists) {
    EXPECT_THAT(finalists, ElementsAre(9, 8, 7, 6, 5, 4, 3, 2, 1));
    RunResult result =
        rankedAs({0, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09});
    std::swap(result.finalists[0].candidate, result.finalists[6].candidate);
    return result;
  };
  EXPECT_EQ(chosen(run()), 3u);
  EXPECT_THAT(runner.compared, ElementsAre(3));
  const RunRequest &finals = runner.requests.at(10);
  EXPECT_EQ(finals.baseline.binary.at(0), 0);
  EXPECT_LE(finals.seconds, budget.seconds / 2);
  EXPECT_LE(runner.requests.at(11).seconds, budget.seconds); // the test's
}

TEST_F(TuningFinalsTest, OnlyThoseThatMayBeTheBestPlayFinals) {
  // The intervals extend 1 % to either side.
  runner.measure = [](int x) {
    return measuredAs(x == 4 ? 0.9 : x == 5 ? 0.915 : 0.95);
  };
  std::vector<int> finalists;
  runner.choose = [&](const std::vector<int> &candidates) {
    finalists = candidates;
    return rankedAs({0, 0.01});
  };
  EXPECT_EQ(chosen(run()), 4u);
  EXPECT_THAT(finalists, ElementsAre(4, 5));
}

TEST_F(TuningFinalsTest, WhatTookNoLeadBoundsTheFinalistsToo) {
  // 2 gains too little over 1 to lead, and ends at 0.795.
  runner.measure = [](int x) {
    return measuredAs(x == 1   ? 0.8
                      : x == 2 ? 0.785
                      : x == 3 ? 0.807
                      : x == 4 ? 0.811
                               : 1);
  };
  std::vector<int> finalists;
  runner.choose = [&](const std::vector<int> &candidates) {
    finalists = candidates;
    return rankedAs({0, 0.01, 0.02});
  };
  run();
  EXPECT_THAT(finalists, ElementsAre(2, 1, 3));
}

TEST_F(TuningFinalsTest, WhoNeedsLessWinsATieInTheFinals) {
  runner.measure = [](int x) { return measuredAs(1 - 0.002 * x); };
  compiler.compile = [](int x) {
    Compilation compilation = compiled(x);
    compilation.artifact->usage.registers = x == 8 ? 32 : 64;
    return compilation;
  };
  runner.choose = [](const auto &finalists) {
    std::vector<double> behind(finalists.size(), 0.01);
    behind[1] = 0.0005;
    return rankedAs(behind);
  };
  EXPECT_EQ(chosen(run()), 8u);
}

TEST_F(TuningFinalsTest, FailureOfTheFinalsIsToldAndTheTrialsDecide) {
  runner.measure = [](int x) { return measuredAs(1 - 0.002 * x); };
  runner.choose = [](const auto &) {
    return failedAs(Status::fault, "crashed");
  };
  EXPECT_EQ(chosen(run()), 9u);
  EXPECT_THAT(log.warnings,
              ElementsAre(HasSubstr("the finals ended with 'fault': crashed")));
}

namespace {

/// Returns a failure of this finalist, or of the baseline.
RunResult failedAs(Status status, const std::string &message, size_t entrant) {
  RunResult result = failedAs(status, message);
  result.failedEntrant = entrant;
  return result;
}

class FinalistFailureTest : public TuningFinalsTest,
                            public testing::WithParamInterface<Status> {};

} // namespace

TEST_P(FinalistFailureTest, LeavesTheOthersTheirFinals) {
  runner.measure = [](int x) { return measuredAs(1 - 0.002 * x); };
  std::vector<std::vector<int>> finals;
  runner.choose = [&](const std::vector<int> &finalists) {
    finals.push_back(finalists);
    for (int x : {9, 7}) // the best by the trials among them
      if (auto found = std::ranges::find(finalists, x);
          found != finalists.end())
        return failedAs(GetParam(), "went wrong",
                        static_cast<size_t>(found - finalists.begin()) +
                            firstCandidate);
    std::vector<double> behind(finalists.size(), 0.01);
    RunResult result = rankedAs(behind);
    std::swap(result.finalists[0].candidate, result.finalists[1].candidate);
    return result;
  };
  SessionOutcome outcome = run();
  EXPECT_THAT(finals.back(), ElementsAre(8, 6, 5, 4, 3, 2, 1));
  EXPECT_EQ(chosen(outcome), 6u);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::faster);
  for (size_t failed : {9, 7}) {
    EXPECT_EQ(outcome.trials[failed].status, GetParam());
    EXPECT_EQ(outcome.trials[failed].message, "in the finals: went wrong");
  }
  EXPECT_TRUE(outcome.isConclusive);
  EXPECT_THAT(runner.compared, ElementsAre(6));
}

INSTANTIATE_TEST_SUITE_P(Statuses, FinalistFailureTest,
                         testing::Values(Status::fault, Status::hang,
                                         Status::lost, Status::out_of_memory));

TEST_F(TuningFinalsTest, WhereOneFinalistIsLeftThereAreNoFinals) {
  runner.measure = [](int x) { return measuredAs(x >= 8 ? 0.5 : 0.8); };
  int asked = 0;
  runner.choose = [&](const std::vector<int> &finalists) {
    ++asked;
    EXPECT_THAT(finalists, ElementsAre(8, 9));
    return failedAs(Status::fault, "crashed", 1);
  };
  SessionOutcome outcome = run();
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(chosen(outcome), 9u);
  ASSERT_THAT(log.amended, testing::SizeIs(1));
  EXPECT_EQ(log.amended[0].configuration.indices[0], 8u);
}

TEST_F(TuningFinalsTest, FaultOfTheBaselineInTheFinalsIsAnError) {
  runner.measure = [](int x) { return measuredAs(1 - 0.002 * x); };
  runner.choose = [](const auto &) {
    return failedAs(Status::fault, "crashed", baselineEntrant);
  };
  auto outcome = tryRun();
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().message,
              HasSubstr("the default configuration was correct before, but "
                        "fails in the finals, 'fault': crashed"));
  EXPECT_THAT(runner.compared, testing::IsEmpty());
}

TEST_F(TuningFinalsTest, WinnerIsVerifiedAgainWithOtherDataInAFreshProcess) {
  opened.seed = 7;
  EXPECT_EQ(chosen(run()), 9u);
  ASSERT_THAT(runner.seeds, testing::SizeIs(1));
  EXPECT_NE(runner.seeds[0], 7u);
  EXPECT_EQ(runner.requests.back().kind, RunRequest::Kind::verify);
}

TEST_F(TuningFinalsTest, TieIsNotVerifiedAgain) {
  runner.compare = [](int) { return comparedAs(Verdict::tie, 1); };
  EXPECT_EQ(chosen(run()), 0u);
  EXPECT_THAT(runner.seeds, testing::IsEmpty());
}

TEST_F(TuningFinalsTest, WhoFailsTheSecondVerificationIsNoWinner) {
  opened.seed = 7;
  runner.confirm = [](int x) {
    return x == 9 ? failedAs(Status::wrong, "element 5") : RunResult();
  };
  SessionOutcome outcome = run();
  EXPECT_EQ(chosen(outcome), 8u);
  EXPECT_THAT(runner.compared, ElementsAre(9, 8));
  // Opened as before for the test of the next.
  EXPECT_THAT(runner.seeds, ElementsAre(~7ull, 7, ~7ull));
  EXPECT_EQ(outcome.trials[9].status, Status::wrong);
  EXPECT_EQ(outcome.trials[9].message,
            "with other data, in a fresh process: element 5");
  ASSERT_THAT(log.amended, testing::SizeIs(1));
  EXPECT_EQ(log.amended[0].configuration.indices[0], 9u);
  EXPECT_EQ(log.amended[0].status, Status::wrong);
  EXPECT_THAT(log.warnings, ElementsAre(HasSubstr(
                                "failed when it was verified again, 'wrong'")));
  EXPECT_TRUE(outcome.isConclusive);
}

TEST_F(TuningFinalsTest, WhereTheDefaultFailsTooNothingIsConcluded) {
  runner.confirm = [](int) { return failedAs(Status::wrong, "element 5"); };
  SessionOutcome outcome = run();
  EXPECT_EQ(chosen(outcome), 0u);
  EXPECT_FALSE(outcome.isConclusive);
  EXPECT_THAT(log.warnings,
              testing::Contains(HasSubstr("default configuration fails as")));
}

TEST_F(TuningFinalsTest, WhatIsLostInTheSecondVerificationIsNoVerdict) {
  runner.confirm = [](int x) {
    return x == 9 ? failedAs(Status::lost, "went away") : RunResult();
  };
  SessionOutcome outcome = run();
  EXPECT_EQ(outcome.comparison.verdict, Verdict::interrupted);
  EXPECT_EQ(chosen(outcome), 9u); // the best so far
  EXPECT_FALSE(outcome.isConclusive);
  EXPECT_TRUE(outcome.isCutShort);
  EXPECT_THAT(log.amended, testing::IsEmpty());
}

namespace {

/// Failures that may have outside causes, such as a SIGKILL.
class TransientFinalsTest : public TuningFinalsTest,
                            public testing::WithParamInterface<Status> {
protected:
  /// Returns a function that fails for the first `requests` calls.
  std::function<RunResult()> failing(int requests, const RunResult &otherwise) {
    return [requests, otherwise, this] {
      return asked++ < requests ? failedAs(GetParam(), "killed") : otherwise;
    };
  }
  void expectNoDecision(const SessionOutcome &outcome) {
    EXPECT_EQ(outcome.comparison.verdict, Verdict::interrupted);
    EXPECT_FALSE(outcome.isConclusive);
    EXPECT_TRUE(outcome.isCutShort);
    EXPECT_THAT(log.amended, testing::IsEmpty());
    EXPECT_EQ(asked, 2);
  }

  int asked = 0;
};

} // namespace

TEST_P(TransientFinalsTest, OneInTheTestCostsNothing) {
  auto fail = failing(1, comparedAs(Verdict::faster, 9));
  runner.compare = [&](int) { return fail(); };
  SessionOutcome outcome = run();
  EXPECT_EQ(outcome.comparison.verdict, Verdict::faster);
  EXPECT_EQ(chosen(outcome), 9u);
  EXPECT_TRUE(outcome.isConclusive);
  EXPECT_THAT(log.warnings, testing::IsEmpty());
}

TEST_P(TransientFinalsTest, TwoInTheTestDecideNothing) {
  auto fail = failing(2, comparedAs(Verdict::faster, 9));
  runner.compare = [&](int) { return fail(); };
  SessionOutcome outcome = run();
  expectNoDecision(outcome);
  // A failure that may be the candidate's fault excludes it here, but is not
  // recorded.
  EXPECT_EQ(chosen(outcome), GetParam() == Status::lost ? 9u : 8u);
  EXPECT_THAT(runner.compared, ElementsAre(9, 9));
}

TEST_P(TransientFinalsTest, OneInTheFinalsCostsNothing) {
  runner.measure = [](int x) { return measuredAs(1 - 0.002 * x); };
  auto fail = failing(1, rankedAs(std::vector<double>(9, 0.01)));
  runner.choose = [&](const auto &) { return fail(); };
  EXPECT_TRUE(run().isConclusive);
  EXPECT_EQ(asked, 2);
}

TEST_P(TransientFinalsTest, TwoInTheFinalsDecideNothing) {
  runner.measure = [](int x) {
    return measuredAs(x == 0 ? 1 : 0.9 - 0.002 * x);
  };
  auto fail = failing(2, rankedAs(std::vector<double>(9, 0.01)));
  runner.choose = [&](const auto &) { return fail(); };
  SessionOutcome outcome = run();
  expectNoDecision(outcome);
  // The others gained too little over the first to be verified in full.
  EXPECT_EQ(chosen(outcome), 1u);
  EXPECT_THAT(runner.compared, testing::IsEmpty());
}

TEST_P(TransientFinalsTest, OneInTheSecondVerificationCostsNothing) {
  auto fail = failing(1, RunResult());
  runner.confirm = [&](int) { return fail(); };
  SessionOutcome outcome = run();
  EXPECT_EQ(chosen(outcome), 9u);
  EXPECT_TRUE(outcome.isConclusive);
}

TEST_P(TransientFinalsTest, TwoInTheSecondVerificationDecideNothing) {
  auto fail = failing(2, RunResult());
  runner.confirm = [&](int) { return fail(); };
  expectNoDecision(run());
}

INSTANTIATE_TEST_SUITE_P(Statuses, TransientFinalsTest,
                         testing::Values(Status::out_of_memory, Status::hang,
                                         Status::lost));

TEST_F(TuningFinalsTest, InterruptedBeforeTheSecondVerificationIsNoVerdict) {
  bool isInterrupted = false;
  interrupted = [&] { return isInterrupted; };
  runner.compare = [&](int) {
    isInterrupted = true;
    return comparedAs(Verdict::faster, 2);
  };
  runner.confirm = [](int) { return failedAs(Status::lost, "interrupted"); };
  SessionOutcome outcome = run();
  EXPECT_EQ(outcome.comparison.verdict, Verdict::interrupted);
  EXPECT_EQ(chosen(outcome), 9u);
}

TEST_F(TuningFinalsTest, WithoutATestOnlyWhatTookTheLeadIsChosen) {
  bool isInterrupted = false;
  interrupted = [&] { return isInterrupted; };
  // 5 is the fastest, but its interval is wide: the runner has verified it on a
  // trial's inputs alone.
  runner.measure = [](int x) {
    RunResult result = measuredAs(x == 5 ? 0.4 : x == 3 ? 0.5 : 1);
    if (x == 5)
      result.measurement->ratioInterval.high = 0.9;
    return result;
  };
  runner.choose = [&](const auto &finalists) {
    isInterrupted = true;
    return rankedAs(std::vector<double>(finalists.size(), 0.01));
  };
  SessionOutcome outcome = run();
  EXPECT_EQ(outcome.comparison.verdict, Verdict::interrupted);
  EXPECT_EQ(chosen(outcome), 3u);
}

TEST_F(TuningFinalsTest, InterruptedAfterTheBestHasFailedTakesTheNext) {
  bool isInterrupted = false;
  interrupted = [&] { return isInterrupted; };
  runner.compare = [&](int x) {
    isInterrupted = x == 8;
    return x == 9 ? failedAs(Status::wrong, "element 5")
                  : failedAs(Status::lost, "interrupted");
  };
  SessionOutcome outcome = run();
  EXPECT_EQ(outcome.comparison.verdict, Verdict::interrupted);
  EXPECT_EQ(chosen(outcome), 8u);
}
