//===- ResumedSessionTest.cpp - A session that was cut short goes on ------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Session/JournaledTrialLog.h"

#include "TemporaryDirectory.h"
#include "TuningFixture.h"

using namespace tonno;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// What it proposes depends on all that it was told so far.
class ImpressionableStrategy : public SearchStrategy {
public:
  std::vector<Configuration> propose(size_t) override {
    if (left.empty())
      return {};
    auto at = left.begin() + static_cast<ptrdiff_t>(state % left.size());
    Configuration proposed = {{*at}};
    left.erase(at);
    return {proposed};
  }
  void observe(std::span<const Trial> trials) override {
    for (const Trial &trial : trials) {
      double ratio = trial.measurement ? trial.measurement->ratio : 7;
      state = 31 * state + static_cast<uint64_t>(1000 * ratio) +
              static_cast<uint64_t>(trial.status);
    }
  }

private:
  std::vector<uint32_t> left = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  uint64_t state = 5;
};

class ResumedSessionTest : public testing::Test {
protected:
  /// What a session had done when it ended, however.
  struct Run {
    Result<SessionOutcome> outcome;
    std::vector<int> compiled, measured, compared;
    std::vector<std::string> warnings;
  };

  Run run(bool resume) {
    ImpressionableStrategy strategy;
    FakeCompiler compiler;
    compiler.compile = compile;
    FakeRunner runner;
    runner.measure = [&](int x) {
      if (ended++ == endAfter)
        isInterrupted = true;
      return isInterrupted ? failedAs(Status::lost, "interrupted") : measure(x);
    };
    NotingLog inner;
    inner.known = known;
    auto journal = Journal::open(directory / "journal", [](const auto &) {});
    EXPECT_TRUE(journal.ok());
    if (!resume)
      EXPECT_TRUE((*journal)->begin("s", Json::object()).ok());
    JournaledTrialLog log(inner, **journal, "s", space);
    isInterrupted = false;
    ended = 0;
    TuningSession session(space, compiler, runner, strategy, log,
                          RunnerSession(), Budget(), /*compileAhead=*/3,
                          [this] { return isInterrupted; });
    auto outcome = session.run();
    return {std::move(outcome), compiler.submitted, runner.measured,
            runner.compared, inner.warnings};
  }

  static std::vector<std::pair<uint32_t, Status>>
  told(const SessionOutcome &outcome) {
    std::vector<std::pair<uint32_t, Status>> trials;
    for (const Trial &trial : outcome.trials)
      trials.emplace_back(trial.configuration.indices[0], trial.status);
    return trials;
  }

  /// Everybody that may happen to a trial.
  std::function<RunResult(int)> measure = [](int x) {
    RunResult pruned = measuredAs(1.9);
    pruned.status = Status::pruned;
    return x == 3   ? failedAs(Status::wrong, "element 5")
           : x == 4 ? pruned
                    : measuredAs((10 - x) / 10.0);
  };
  std::function<Compilation(int)> compile = [](int x) {
    Compilation failed;
    failed.status = Status::compile_error;
    return x == 5 ? failed : compiled(x == 8 ? 7 : x); // 7 and 8 are twins
  };
  std::map<uint32_t, Status> known = {{6, Status::fault}};

  SearchSpace space = tenPoints();
  TemporaryDirectory directory;
  int endAfter = -1, ended = 0; ///< runs
  bool isInterrupted = false;
};

} // namespace

TEST_F(ResumedSessionTest, EndsAsAnUndisturbedOneWhereverItWasCutShort) {
  Run whole = run(/*resume=*/false);
  ASSERT_TRUE(whole.outcome.ok());
  EXPECT_EQ(chosen(*whole.outcome), 9u);
  auto runs = static_cast<int>(whole.measured.size());
  EXPECT_EQ(runs, 7); // but the failed compilation, the known one and a twin
  for (endAfter = 0; endAfter < runs; ++endAfter) {
    Run cut = run(/*resume=*/false);
    int stopped = std::exchange(endAfter, -1);
    Run rest = run(/*resume=*/true);
    endAfter = stopped;
    ASSERT_TRUE(rest.outcome.ok()) << rest.outcome.error().message;
    EXPECT_EQ(told(*rest.outcome), told(*whole.outcome));
    EXPECT_EQ(rest.outcome->chosen, whole.outcome->chosen);
    EXPECT_EQ(rest.outcome->artifactHash, whole.outcome->artifactHash);
    EXPECT_EQ(rest.compared, whole.compared);
    // No trial was made twice, but the one that the end has caught.
    std::vector<int> both(cut.measured.begin(), cut.measured.begin() + stopped);
    both.insert(both.end(), rest.measured.begin(), rest.measured.end());
    EXPECT_EQ(both, whole.measured) << "cut after " << stopped;
  }
}

TEST_F(ResumedSessionTest, AnEndedOneIsDecidedAnewWithoutATrial) {
  Run whole = run(/*resume=*/false);
  Run again = run(/*resume=*/true);
  EXPECT_THAT(again.measured, IsEmpty());
  EXPECT_EQ(again.compared, whole.compared);
  EXPECT_EQ(told(*again.outcome), told(*whole.outcome));
  EXPECT_LT(again.compiled.size(), whole.compiled.size());
}

TEST_F(ResumedSessionTest, WhatWasLostIsTriedAgain) {
  auto measureWell = measure;
  measure = [](int x) {
    return x == 0 ? measuredAs(1) : failedAs(Status::lost, "no connection");
  };
  EXPECT_FALSE(run(/*resume=*/false).outcome.ok());
  measure = measureWell;
  Run rest = run(/*resume=*/true);
  ASSERT_TRUE(rest.outcome.ok()) << rest.outcome.error().message;
  EXPECT_EQ(chosen(*rest.outcome), 9u);
  EXPECT_EQ(std::ranges::count(rest.measured, 0), 0);
}

TEST_F(ResumedSessionTest, FirstOneThatRanStandsInForTheDefaultAgain) {
  auto measureWell = measure;
  measure = [&](int x) {
    return x == 0 ? failedAs(Status::fault, "crashed") : measureWell(x);
  };
  endAfter = 4;
  run(/*resume=*/false);
  endAfter = -1;
  Run rest = run(/*resume=*/true);
  ASSERT_TRUE(rest.outcome.ok()) << rest.outcome.error().message;
  EXPECT_EQ(rest.outcome->comparison.verdict, Verdict::no_baseline);
  EXPECT_EQ(chosen(*rest.outcome), 9u);
}

TEST_F(ResumedSessionTest, BinaryThatIsNotTheSameIsNoFinalist) {
  run(/*resume=*/false);
  auto compileWell = compile;
  compile = [&](int x) { return x == 9 ? compiled(99) : compileWell(x); };
  Run again = run(/*resume=*/true);
  ASSERT_TRUE(again.outcome.ok());
  EXPECT_NE(chosen(*again.outcome), 9u);
  EXPECT_THAT(again.warnings, ElementsAre(HasSubstr("another binary")));
  compile = [&](int x) { return x == 0 ? compiled(99) : compileWell(x); };
  again = run(/*resume=*/true);
  ASSERT_FALSE(again.outcome.ok());
  EXPECT_THAT(again.outcome.error().message, HasSubstr("without --resume"));
}

TEST_F(ResumedSessionTest, TimeThatWasSpentIsNotGivenTwice) {
  auto journal = Journal::open(directory / "journal", [](const auto &) {});
  JournaledTrial spent;
  spent.record = TrialRecord{space.values({{0}}),       Status::ok, "",
                             measuredAs(1).measurement, {},         hashOf(0)};
  spent.seconds = Budget().seconds;
  ASSERT_TRUE((*journal)->begin("s", Json::object()).ok());
  ASSERT_TRUE((*journal)->add("s", spent).ok());
  journal->reset();
  Run rest = run(/*resume=*/true);
  ASSERT_TRUE(rest.outcome.ok());
  EXPECT_THAT(rest.measured, IsEmpty());
}
