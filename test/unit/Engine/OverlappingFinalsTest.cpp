//===- Sessions whose trials overlap --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TuningFixture.h"

using namespace tonno;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// Returns a trial with this ratio and interval.
RunResult measuredWithin(double low, double ratio, double high) {
  RunResult result = measuredAs(ratio);
  result.measurement->ratioInterval = {low, high};
  return result;
}

/// Candidate 9 has the least ratio, 0.5. 3, 5 and 7 overlap with it, 3 has been
/// the fastest.
class OverlappingFinalsTest : public TuningSessionTest {
protected:
  OverlappingFinalsTest() {
    runner.measure = [](int x) {
      switch (x) {
      case 3:
        return measuredWithin(0.3, 0.9, 1.2);
      case 5:
        return measuredWithin(0.55, 0.8, 1.2);
      case 7:
        return measuredWithin(0.45, 0.7, 1.2);
      case 9:
        return measuredWithin(0.4, 0.5, 0.6);
      default:
        return measuredWithin(0.9, 1, 1.1);
      }
    };
    runner.choose = [this](const std::vector<int> &finalists) {
      played.push_back(finalists);
      return ranked(finalists);
    };
    budget.seconds = std::numeric_limits<double>::infinity();
  }

  /// Ranks candidate 3 first.
  static RunResult ranked(const std::vector<int> &finalists) {
    auto best = std::ranges::find(finalists, 3) - finalists.begin();
    RunResult result;
    result.finalists = {{static_cast<size_t>(best), 0, 5}};
    return result;
  }

  SessionOutcome run(size_t most = 4) {
    TuningSession session(
        space, compiler, &runner, strategy, log, opened, budget,
        /*compileAhead=*/2, [this] { return interrupted(); },
        [this] { return now; });
    session.decideByFinals(most);
    auto outcome = session.run();
    EXPECT_TRUE(outcome.ok());
    return *outcome;
  }

  std::vector<std::vector<int>> played;
  double now = 0;
};

} // namespace

TEST_F(OverlappingFinalsTest, ChooseAmongTheFastest) {
  SessionOutcome outcome = run();
  EXPECT_THAT(played, ElementsAre(ElementsAre(9, 3, 7, 5)));
  EXPECT_EQ(chosen(outcome), 3U);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::no_baseline);
  // The trial's measurement stays.
  EXPECT_DOUBLE_EQ(outcome.comparison.seconds.median, 0.9e-3);
  EXPECT_THAT(runner.compared, IsEmpty());
}

TEST_F(OverlappingFinalsTest, AreOfAsManyAsAsked) {
  run(/*most=*/2);
  EXPECT_THAT(played, ElementsAre(ElementsAre(9, 3)));
}

TEST_F(OverlappingFinalsTest, AreNotPlayedByOne) {
  runner.measure = [](int x) {
    return measuredWithin(1 - 0.05 * x, 1 - 0.05 * x, 1 - 0.05 * x);
  };
  EXPECT_EQ(chosen(run()), 9U);
  EXPECT_THAT(played, IsEmpty());
}

TEST_F(OverlappingFinalsTest, EqualBinariesPlayOnce) {
  compiler.compile = [](int x) { return compiled(x == 7 ? 3 : x); };
  run();
  EXPECT_THAT(played, ElementsAre(ElementsAre(9, 3, 5)));
}

TEST_F(OverlappingFinalsTest, GoOnWithoutACandidateThatFails) {
  runner.choose = [this](const std::vector<int> &finalists) {
    played.push_back(finalists);
    auto failing = std::ranges::find(finalists, 7);
    if (failing == finalists.end())
      return ranked(finalists);
    RunResult result = failedAs(Status::fault, "signal 11");
    result.failedEntrant = firstCandidate + (failing - finalists.begin());
    return result;
  };
  SessionOutcome outcome = run();
  EXPECT_THAT(played,
              ElementsAre(ElementsAre(9, 3, 7, 5), ElementsAre(9, 3, 5)));
  EXPECT_EQ(chosen(outcome), 3U);
  EXPECT_EQ(outcome.trials.at(7).status, Status::fault);
  EXPECT_EQ(outcome.trials.at(7).message, "in the finals: signal 11");
}

TEST_F(OverlappingFinalsTest, LastOneLeftIsChosen) {
  runner.choose = [this](const std::vector<int> &finalists) {
    played.push_back(finalists);
    RunResult result = failedAs(Status::fault, "signal 11");
    result.failedEntrant = firstCandidate;
    return result;
  };
  EXPECT_EQ(chosen(run()), 5U);
  EXPECT_EQ(played.size(), 3U);
}

TEST_F(OverlappingFinalsTest, InterruptLeavesTheBestTrial) {
  bool isInterrupted = false;
  interrupted = [&] { return isInterrupted; };
  runner.choose = [&](const std::vector<int> &) {
    isInterrupted = true;
    return failedAs(Status::lost, "interrupted");
  };
  SessionOutcome outcome = run();
  EXPECT_EQ(chosen(outcome), 9U);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::interrupted);
  EXPECT_TRUE(outcome.trials.at(9).ok());
}

TEST_F(OverlappingFinalsTest, AreNotPlayedOnceTheBudgetIsSpent) {
  budget.seconds = 10;
  auto measure = runner.measure;
  runner.measure = [&, measure](int x) {
    now += 1;
    return measure(x);
  };
  EXPECT_EQ(chosen(run()), 9U); // ten trials took it
  EXPECT_THAT(played, IsEmpty());
}

TEST_F(OverlappingFinalsTest, GetWhatIsLeftOfTheBudget) {
  budget.seconds = 10.5;
  auto measure = runner.measure;
  runner.measure = [&, measure](int x) {
    now += 1;
    return measure(x);
  };
  run();
  EXPECT_EQ(runner.measured.size(), 10U); // none is kept for finals
  EXPECT_DOUBLE_EQ(runner.requests.back().seconds, 0.5);
}

TEST_F(OverlappingFinalsTest, ThatCanNotBePlayedLeaveTheTrialsToChoose) {
  runner.choose = [](const auto &) {
    return failedAs(Status::contended, "by another tuner");
  };
  EXPECT_EQ(chosen(run()), 9U);
  EXPECT_THAT(log.warnings, Contains(HasSubstr("the finals were not run")));
}
