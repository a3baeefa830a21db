//===- Tests for the kernel tuner -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/KernelTuner.h"

#include "Engine/TuningFixture.h"
#include "TemporaryDirectory.h"

#include <gmock/gmock.h>

#include <chrono>
#include <thread>

using namespace tonno;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// Records events and warnings.
struct NotingObserver : TuneObserver {
  void timing(const DeviceDescription &) override { ++timings; }
  void started(const std::string &kernel, const SearchSpace &,
               const Budget &) override {
    kernels.push_back(kernel);
  }
  void warn(const std::string &message) override {
    warnings.push_back(message);
  }

  int timings = 0;
  std::vector<std::string> kernels, warnings;
};

/// Simulated process; the cache outlives it.
struct Process {
  explicit Process(const TunerOptions &options)
      : tuner(options, compiler, runner, observer) {
    EXPECT_TRUE(tuner.open().ok());
  }

  FakeCompiler compiler;
  FakeRunner runner;
  NotingObserver observer;
  KernelTuner tuner;
};

struct KernelTunerTest : testing::Test {
  KernelTunerTest() {
    options.cacheDirectory = (directory / "cache").string();
    options.effort.strategy = "exhaustive";
    options.effort.budget.trials = 4;
  }

  static TuningProblem problem(const std::string &kernel = "scale") {
    TuningProblem problem;
    problem.source.kernel = kernel;
    problem.space = tenPoints();
    problem.compiled.remark = "something lacks";
    problem.identity.kernelHash = "hash of the kernel";
    return problem;
  }

  TemporaryDirectory directory;
  TunerOptions options;
};

TEST_F(KernelTunerTest, PlansASearchOnlyIfNothingIsKnown) {
  int plans = 0;
  SearchPlanner planner = {[&]() -> Result<SearchPlan, LocatedError> {
                             ++plans;
                             return SearchPlan{{.trials = 2, .seconds = 60}};
                           },
                           {{"in_model", true}}};
  Process first(options);
  auto planned = first.tuner.tune(problem(), &planner);
  ASSERT_TRUE(planned.ok());
  EXPECT_EQ(planned->trials.size(), 2u) << "the plan's budget";
  EXPECT_EQ(plans, 1);

  Process second(options);
  auto known = second.tuner.tune(problem(), &planner);
  ASSERT_TRUE(known.ok());
  EXPECT_EQ(known->source, "the cache");
  EXPECT_EQ(plans, 1);

  auto other = second.tuner.tune(problem());
  ASSERT_TRUE(other.ok());
  EXPECT_NE(other->key, known->key) << "another search, another decision";
  EXPECT_EQ(other->trials.size(), 4u);
}

/// Plans a search of a kernel that has this part of a model's seconds.
SearchPlanner planPart(double seconds, uint64_t trials = 10) {
  return {[=]() -> Result<SearchPlan, LocatedError> {
            return SearchPlan{{.trials = trials, .seconds = seconds}};
          },
          {{"in_model", true}},
          seconds};
}

TEST_F(KernelTunerTest, DecisionsOfPartsHoldForPartsThatAreHardlyLonger) {
  auto tune = [&](double seconds) {
    Process process(options);
    process.runner.measure = [](int x) { // more than the first part allows
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
      RunResult result = measuredAs((10 - x) / 10.0);
      result.seconds = 0.1;
      return result;
    };
    SearchPlanner planner = planPart(seconds);
    auto outcome = process.tuner.tune(problem(), &planner);
    EXPECT_TRUE(outcome.ok());
    return *outcome;
  };
  KernelOutcome first = tune(1);
  EXPECT_EQ(first.searchEnd, SearchEnd::budget);
  EXPECT_LT(first.trials.size(), 10u);
  EXPECT_EQ(first.decision.endedBySeconds, 1);
  EXPECT_EQ(tune(0.5).source, "the cache");
  EXPECT_EQ(tune(1.2).source, "the cache");

  KernelOutcome longer = tune(60);
  EXPECT_EQ(longer.key, first.key);
  EXPECT_EQ(longer.source, "");
  EXPECT_EQ(longer.trials.size(), 10u);
  EXPECT_EQ(longer.decision.endedBySeconds, std::nullopt);
  EXPECT_EQ(tune(600).source, "the cache") << "its search ended by itself";
}

/// Proposes all points of the space, and expects little.
struct ModestStrategy : CountingStrategy {
  std::optional<double> expectedGain() const override { return 0.05; }
};

TEST_F(KernelTunerTest, PartsThatExpectTooLittleEnd) {
  auto tune = [&](double seconds, double leastGain) {
    Process process(options);
    SearchPlanner planner = {[&]() -> Result<SearchPlan, LocatedError> {
                               return SearchPlan{
                                   {.trials = 10, .seconds = seconds},
                                   std::make_unique<ModestStrategy>()};
                             },
                             {{"in_model", true}},
                             seconds,
                             leastGain};
    auto outcome = process.tuner.tune(problem(), &planner);
    EXPECT_TRUE(outcome.ok());
    return *outcome;
  };
  KernelOutcome little = tune(10, 0.1);
  EXPECT_EQ(little.searchEnd, SearchEnd::gain);
  EXPECT_LT(little.trials.size(), 10u);
  EXPECT_EQ(tune(10, 0.1).source, "the cache");

  KernelOutcome more = tune(60, 0.02); // of a model where the kernel is more
  EXPECT_EQ(more.key, little.key);
  EXPECT_EQ(more.source, "");
  EXPECT_EQ(more.trials.size(), 10u);
}

TEST_F(KernelTunerTest, RecallsWithoutASearch) {
  SearchPlanner none = {nullptr, {{"in_model", true}}, 0};
  Process process(options);
  auto unknown = process.tuner.recall(problem(), none);
  ASSERT_TRUE(unknown.ok());
  EXPECT_FALSE(unknown->has_value());
  EXPECT_THAT(process.compiler.submitted, IsEmpty());
  SearchPlanner planner = planPart(60);
  ASSERT_TRUE(process.tuner.tune(problem(), &planner).ok());
  auto known = Process(options).tuner.recall(problem(), none);
  ASSERT_TRUE(known.ok() && known->has_value());
  EXPECT_EQ((*known)->source, "the cache");
}

TEST_F(KernelTunerTest, TakesTheBestSoFarOfAnInterruptedPlan) {
  bool isInterrupted = false;
  options.interrupted = [&] { return isInterrupted; };
  Process process(options);
  Json best = problem().space.values(problem().space.at(3));
  SearchPlanner planner = {[&]() -> Result<SearchPlan, LocatedError> {
                             isInterrupted = true;
                             return SearchPlan{{}, nullptr, best};
                           },
                           Json::object()};
  auto outcome = process.tuner.tune(problem(), &planner);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->decision.values, best);
  EXPECT_EQ(outcome->decision.comparison.verdict, Verdict::interrupted);
  EXPECT_THAT(outcome->trials, IsEmpty());
  EXPECT_THAT(process.observer.kernels, IsEmpty()) << "no session";

  isInterrupted = false;
  Process next(options);
  auto again = next.tuner.tune(problem());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->source, "") << "an untested decision is not kept";
}

} // namespace

TEST_F(KernelTunerTest, SearchesWhatIsNotKnown) {
  Process process(options);
  auto outcome = process.tuner.tune(problem());
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->source, "");
  EXPECT_EQ(outcome->trials.size(), 4u);
  EXPECT_EQ(outcome->decision.comparison.verdict, Verdict::faster);
  EXPECT_THAT(process.observer.kernels, ElementsAre("scale"));
  EXPECT_EQ(process.observer.timings, 1);
  EXPECT_THAT(process.observer.warnings, ElementsAre("something lacks"));
}

TEST_F(KernelTunerTest, AnotherProcessFindsItInTheCache) {
  auto before = Process(options).tuner.tune(problem());
  ASSERT_TRUE(before.ok());
  options.mode.mode = TuneMode::cached;
  Process process(options);
  auto outcome = process.tuner.tune(problem());
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->source, "the cache");
  EXPECT_EQ(outcome->decision.values, before->decision.values);
  EXPECT_EQ(process.compiler.submitted.size(), 1u); // is it the same binary?
  EXPECT_THAT(process.runner.requests, IsEmpty());
  EXPECT_EQ(process.observer.timings, 0);
}

TEST_F(KernelTunerTest, ModeOffTakesTheDefaultWhateverIsKnown) {
  ASSERT_TRUE(Process(options).tuner.tune(problem()).ok());
  options.mode.mode = TuneMode::off;
  Process process(options);
  auto outcome = process.tuner.tune(problem());
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_TRUE(outcome->isUnmeasured);
  EXPECT_EQ(outcome->decision.values,
            tenPoints().values(tenPoints().defaultConfiguration()));
  EXPECT_THAT(process.compiler.submitted, IsEmpty());
  EXPECT_THAT(process.runner.requests, IsEmpty());
}

TEST_F(KernelTunerTest, ModeCachedFailsWhereNothingIsKnown) {
  options.mode = {TuneMode::cached, true};
  Process process(options);
  auto outcome = process.tuner.tune(problem());
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().message,
              HasSubstr("and mode cached by TONNO_MODE measures nothing"));
  EXPECT_THAT(process.compiler.submitted, IsEmpty());
  EXPECT_THAT(process.runner.requests, IsEmpty());
}

TEST_F(KernelTunerTest, OtherCodeThanWasMeasuredIsVerifiedAnew) {
  auto before = Process(options).tuner.tune(problem());
  ASSERT_TRUE(before.ok());
  options.mode.mode = TuneMode::cached;
  Process process(options);
  process.compiler.compile = [](int x) { return compiled(100 + x); };
  auto outcome = process.tuner.tune(problem());
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->source, "the cache");
  EXPECT_NE(outcome->decision.artifactHash, before->decision.artifactHash);
  ASSERT_EQ(process.runner.requests.size(), 1u);
  EXPECT_EQ(process.runner.requests[0].kind, RunRequest::Kind::verify);
  EXPECT_THAT(process.observer.warnings,
              ElementsAre(HasSubstr("the new code was verified")));
}

TEST_F(KernelTunerTest, CachedDecisionThatFailsHereIsRefused) {
  ASSERT_TRUE(Process(options).tuner.tune(problem()).ok());
  options.cacheMode = CacheMode::read_only; // what is found anew is not kept
  for (bool isRequired : {false, true}) {
    options.mode.mode = isRequired ? TuneMode::cached : TuneMode::tune;
    Process process(options);
    process.compiler.compile = [](int x) { return compiled(100 + x); };
    int verified = 0;
    process.runner.confirm = [&](int) {
      return verified++ == 0 ? failedAs(Status::wrong, "element 3")
                             : RunResult();
    };
    process.runner.measure = [](int x) { return measuredAs((110 - x) / 10.0); };
    process.runner.compare = [](int) { return comparedAs(Verdict::tie, 1); };
    auto outcome = process.tuner.tune(problem());
    const char *why = "is refused: the code compiled here differs from the "
                      "measured code, and fails: 'wrong': element 3";
    EXPECT_EQ(outcome.ok(), !isRequired);
    if (outcome.ok()) {
      EXPECT_EQ(outcome->source, ""); // it was tuned again
      EXPECT_THAT(process.observer.warnings, testing::Contains(HasSubstr(why)));
    } else {
      EXPECT_THAT(outcome.error().message, HasSubstr(why));
    }
  }
}

TEST_F(KernelTunerTest, OneThatDiffersByNameAloneIsDecidedAlike) {
  Process process(options);
  auto first = process.tuner.tune(problem());
  process.compiler.compile = [](int x) { return compiled(100 + x); };
  auto second = process.tuner.tune(problem("other"));
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(second->decision.kernel, "other");
  EXPECT_EQ(second->decision.values, first->decision.values);
  EXPECT_NE(second->decision.artifactHash, first->decision.artifactHash);
  EXPECT_THAT(process.observer.kernels, ElementsAre("scale"));
}

TEST_F(KernelTunerTest, WhatIsContendedIsMeasuredAgain) {
  Process busy(options);
  auto compare = busy.runner.compare;
  busy.runner.compare = [&](int x) {
    RunResult result = compare(x);
    result.comparison->contended = true;
    return result;
  };
  ASSERT_TRUE(busy.tuner.tune(problem()).ok());
  TunerOptions required = options;
  required.mode.mode = TuneMode::cached;
  Process build(required);
  auto applied = build.tuner.tune(problem());
  ASSERT_TRUE(applied.ok()) << applied.error().message;
  EXPECT_TRUE(applied->decision.comparison.contended);
  EXPECT_THAT(build.observer.warnings,
              ElementsAre(HasSubstr(
                  "is contended: other processes used the device while")));
  Process idle(options);
  auto again = idle.tuner.tune(problem());
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->source, "");
  EXPECT_FALSE(again->decision.comparison.contended);
  // The decision stands, whatever a busy machine decides later for another
  // budget.
  options.effort.budget.trials = 3;
  Process later(options);
  later.runner.compare = busy.runner.compare;
  ASSERT_TRUE(later.tuner.tune(problem()).ok());
  options.effort.isNone = true;
  Process latest(options);
  auto known = latest.tuner.tune(problem());
  ASSERT_TRUE(known.ok());
  EXPECT_FALSE(known->decision.comparison.contended);
  EXPECT_THAT(latest.observer.warnings, IsEmpty());
}

TEST_F(KernelTunerTest, WhatIsNotInTheCacheIsAnErrorWhereItMustBe) {
  options.mode.mode = TuneMode::cached;
  Process process(options);
  auto outcome = process.tuner.tune(problem());
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(
      outcome.error().message,
      HasSubstr("the cache has no decision for @scale with this effort, "
                "compiler and device"));
  EXPECT_THAT(process.compiler.submitted, IsEmpty());
}

TEST_F(KernelTunerTest, WithoutEffortTheLatestDecisionOrTheDefault) {
  TunerOptions none = options;
  none.effort.isNone = true;
  auto unknown = Process(none).tuner.tune(problem());
  ASSERT_TRUE(unknown.ok());
  EXPECT_TRUE(unknown->isUnmeasured);
  EXPECT_EQ(unknown->decision.values, Json({{"X", 0}}));
  auto found = Process(options).tuner.tune(problem());
  auto known = Process(none).tuner.tune(problem());
  ASSERT_TRUE(found.ok() && known.ok());
  EXPECT_FALSE(known->isUnmeasured);
  EXPECT_EQ(known->decision.values, found->decision.values);
}

TEST_F(KernelTunerTest, AnotherBudgetIsAnotherQuestion) {
  ASSERT_TRUE(Process(options).tuner.tune(problem()).ok());
  options.effort.budget.trials = 6;
  Process process(options);
  auto outcome = process.tuner.tune(problem());
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->source, "");
  EXPECT_EQ(outcome->trials.size(), 6u);
}

TEST_F(KernelTunerTest, OneThatCannotBeRunLeavesNothing) {
  {
    Process process(options);
    process.compiler.compile = [](int) {
      return Compilation{Status::compile_error, "no such thing", {}, 0};
    };
    auto outcome = process.tuner.tune(problem());
    ASSERT_FALSE(outcome.ok());
    EXPECT_THAT(outcome.error().message, HasSubstr("no such thing"));
  }
  options.mode.mode = TuneMode::cached;
  EXPECT_FALSE(Process(options).tuner.tune(problem()).ok());
}
