//===- Tests for fronts of time and resources -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Space/LegalSpace.h"

#include "TuningFixture.h"

using namespace tonno;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Candidate x takes `ratio(x)` of the default's time, and uses `code(x)` bytes
/// of code. By default, the faster uses more; 3 and 8 are beaten by others.
class FrontTest : public TuningSessionTest {
protected:
  FrontTest() {
    opened.oracle.front = {Resource::code_size};
    compiler.compile = [this](int x) {
      Compilation compilation = compiled(x);
      compilation.artifact->usage.codeBytes = code(x);
      return compilation;
    };
    runner.measure = [this](int x) { return measuredAs(ratio(x)); };
    runner.compare = [this](int x) {
      double least = runner.requests.back().leastSpeedup.value_or(1.01);
      return comparedAs(1 / ratio(x) > least ? Verdict::faster : Verdict::tie,
                        1 / ratio(x));
    };
  }

  static std::vector<int> getPoints(const SessionOutcome &outcome) {
    std::vector<int> points;
    for (const FrontPoint &point : *outcome.front)
      points.push_back(point.values.at("X").get<int>());
    return points;
  }

  std::function<double(int)> ratio = [](int x) {
    return x == 0 ? 1 : x == 3 ? 0.95 : x == 8 ? 1.5 : (15 - x) / 15.0 + 0.3;
  };
  std::function<uint64_t(int)> code = [](int x) {
    return x == 0 ? 150 : x == 3 ? 990 : 100 * x;
  };
};

} // namespace

TEST_F(FrontTest, HasWhatNoOtherBeats) {
  SessionOutcome outcome = run();
  EXPECT_EQ(chosen(outcome), 9u);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::faster);
  EXPECT_THAT(getPoints(outcome), ElementsAre(9, 7, 6, 5, 0, 1))
      << "4, 2: the default is as fast and smaller";
  const FrontPoint &last = outcome.front->back();
  EXPECT_NEAR(last.comparison.speedup, 1 / ratio(1), 1e-9);
  EXPECT_EQ(last.usage.codeBytes, 100u);
  EXPECT_EQ(last.artifactHash, hashOf(1));
  EXPECT_TRUE(outcome.isConclusive);
  EXPECT_EQ(outcome.phaseSeconds.count(SessionPhase::front), 1u);
}

TEST_F(FrontTest, WinnerAndDefaultAreNotTestedAgain) {
  run();
  EXPECT_THAT(runner.compared, ElementsAre(9, 7, 6, 5, 1));
  std::vector<int> verified;
  for (const RunRequest &request : runner.requests)
    if (request.kind == RunRequest::Kind::verify)
      verified.push_back(request.candidate.binary.at(0));
  EXPECT_THAT(verified, ElementsAre(9, 7, 6, 5, 1));
}

TEST_F(FrontTest, TheTestsDecideWhatIsBeaten) {
  runner.compare = [this](int x) {
    double measured = x == 6 ? 1.5 : ratio(x); // its trial was lucky
    return comparedAs(measured < 0.99 ? Verdict::faster : Verdict::tie,
                      1 / measured);
  };
  EXPECT_THAT(getPoints(run()), ElementsAre(9, 7, 5, 0, 1));
}

TEST_F(FrontTest, ATieOfAsMuchCodeIsNoPoint) {
  ratio = [](int x) { return x == 4 ? 0.997 : x == 0 ? 1 : 1.2; };
  code = [](int x) { return x == 5 ? 50 : 100; };
  runner.compare = [this](int x) {
    return comparedAs(Verdict::tie, 1 / ratio(x));
  };
  SessionOutcome outcome = run();
  EXPECT_THAT(getPoints(outcome), ElementsAre(0, 5));
  EXPECT_EQ(outcome.front->front().comparison.verdict, Verdict::tie);
  EXPECT_EQ(outcome.front->back().comparison.verdict, Verdict::less);
}

TEST_F(FrontTest, WhatFailsIsNoPoint) {
  runner.confirm = [](int x) {
    return x == 6 ? failedAs(Status::wrong, "off") : RunResult();
  };
  SessionOutcome outcome = run();
  EXPECT_THAT(getPoints(outcome), ElementsAre(9, 7, 5, 0, 1));
  EXPECT_THAT(log.warnings, Contains(HasSubstr("in a fresh process: off")));
  EXPECT_EQ(outcome.trials.at(6).status, Status::wrong);
}

TEST_F(FrontTest, SlowCandidatesOfLessCodeAreNotPruned) {
  std::map<int, double> highs;
  run();
  for (const RunRequest &request : runner.requests)
    if (request.kind == RunRequest::Kind::measure)
      highs[request.candidate.binary.at(0)] = request.incumbentHigh;
  EXPECT_EQ(highs[1], std::numeric_limits<double>::infinity());
  EXPECT_NEAR(highs[8], ratio(7) + 0.01, 1e-9);
}

TEST_F(FrontTest, OfManyPointsSomeAreTested) {
  Knob knob = {"X", {}, 0};
  for (int x = 0; x < 40; ++x)
    knob.options.push_back(x);
  space = SearchSpace({knob});
  ratio = [](int x) { return (60 - x) / 60.0; };
  code = [](int x) { return 100 + x; };
  ExhaustiveSearch all(*LegalSpace::create(space));
  TuningSession session(space, compiler, &runner, all, log, opened, budget,
                        /*compileAhead=*/2, interrupted);
  auto outcome = session.run();
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_THAT(getPoints(*outcome),
              ElementsAre(39, 38, 33, 28, 23, 17, 12, 7, 1, 0));
}

TEST_F(FrontTest, AnObjectiveDoesNotHoldCandidatesBack) {
  opened.oracle.objective = Resource::code_size;
  SessionOutcome outcome = run();
  EXPECT_EQ(chosen(outcome), 1u);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::less);
  EXPECT_THAT(getPoints(outcome), ElementsAre(9, 7, 6, 5, 0, 1));
}

TEST_F(FrontTest, AnInterruptedFrontIsNotKept) {
  interrupted = [this] { return runner.compared.size() > 2; };
  SessionOutcome outcome = run();
  EXPECT_EQ(chosen(outcome), 9u);
  EXPECT_FALSE(outcome.front);
  EXPECT_FALSE(outcome.isConclusive);
}

TEST_F(FrontTest, FewRoundsAreNotEnough) {
  runner.compare = [this](int x) {
    RunResult result = comparedAs(Verdict::faster, 1 / ratio(x));
    result.comparison->rounds = x == 9 ? 64 : 5;
    return result;
  };
  SessionOutcome outcome = run();
  EXPECT_FALSE(outcome.front);
  EXPECT_FALSE(outcome.isConclusive);
  EXPECT_THAT(log.warnings, Contains(HasSubstr("increase '--budget-seconds'")));
}

namespace {

/// Candidate x uses `joules(x)` of the default's energy.
class EnergyTest : public FrontTest {
protected:
  EnergyTest() {
    opened.oracle.front.clear();
    opened.oracle.objective = Resource::energy;
    auto inTime = runner.compare;
    runner.compare = [this, inTime](int x) {
      if (!runner.requests.back().ofEnergy)
        return inTime(x);
      measured.push_back(x);
      RunResult result = comparedAs(
          joules(x) < 0.99 ? Verdict::faster : Verdict::tie, 1 / joules(x));
      result.comparison->baselineSeconds.median = 1e-3;
      return result;
    };
    ratio = [](int x) { return (20 - x) / 20.0; };
  }

  std::function<double(int)> joules = [](int x) {
    return x == 7 ? 0.6 : x == 0 ? 1 : 0.9;
  };
  std::vector<int> measured; ///< whose energy was
};

} // namespace

TEST_F(EnergyTest, IsMeasuredOfTheFastest) {
  SessionOutcome outcome = run();
  EXPECT_THAT(measured, ElementsAre(9, 8, 7, 6, 5, 7))
      << "the last is the test";
  EXPECT_EQ(chosen(outcome), 7u);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::less);
  EXPECT_NEAR(outcome.comparison.speedup, 1 / ratio(7), 1e-9);
  ASSERT_TRUE(outcome.objective);
  EXPECT_EQ(outcome.objective->resource, Resource::energy);
  EXPECT_EQ(outcome.objective->used, 600u);
  EXPECT_EQ(outcome.objective->baselineUsed, 1000u);
  EXPECT_NEAR(outcome.objective->gain->ratio, 1 / 0.6, 1e-9);
  EXPECT_FALSE(outcome.front) << "it was not asked for";
  EXPECT_TRUE(outcome.isConclusive);
}

TEST_F(EnergyTest, WhatIsNotShownLeavesTheDefault) {
  size_t tests = 0;
  joules = [&](int x) { return x != 7 ? 1 : ++tests == 1 ? 0.6 : 1; };
  SessionOutcome outcome = run();
  EXPECT_EQ(chosen(outcome), 0u);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::tie);
}

TEST_F(EnergyTest, TheLimitOnTimeHolds) {
  ratio = [](int x) { return x == 7 ? 1.2 : x == 8 ? 1.01 : 1 + x / 10.0; };
  joules = [](int x) { return x == 7 ? 0.6 : x == 8 ? 0.8 : 1; };
  opened.oracle.mostTime = 1.1;
  SessionOutcome outcome = run();
  EXPECT_EQ(chosen(outcome), 8u);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::less);
}

TEST_F(EnergyTest, AFailureOfTheCounterEndsTheSession) {
  auto before = runner.compare;
  runner.compare = [this, before](int x) {
    return runner.requests.back().ofEnergy
               ? failedAs(Status::lost, "no counter")
               : before(x);
  };
  SessionOutcome outcome = run();
  EXPECT_EQ(chosen(outcome), 0u);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::interrupted);
  EXPECT_FALSE(outcome.isConclusive);
  EXPECT_THAT(log.warnings, Contains(HasSubstr("no counter")));
}

TEST_F(EnergyTest, FrontsHaveIt) {
  opened.oracle.objective.reset();
  opened.oracle.front = {Resource::energy};
  SessionOutcome outcome = run();
  EXPECT_EQ(chosen(outcome), 9u);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::faster);
  EXPECT_THAT(getPoints(outcome), ElementsAre(9, 7));
  EXPECT_NEAR(outcome.front->back().energy->speedup, 1 / 0.6, 1e-9);
}
