//===- A search on recorded times -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/Replay.h"

#include "RecordedFiles.h"

#include <cmath>

using namespace tonno;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Proposes these points in order, and records its observations.
class Script : public SearchStrategy {
public:
  explicit Script(std::vector<uint32_t> order) : order(std::move(order)) {}

  std::vector<Configuration> propose(size_t n) override {
    asked.push_back(n);
    std::vector<Configuration> proposed;
    for (; proposed.size() < n && next < order.size(); ++next)
      proposed.push_back({{order[next]}});
    return proposed;
  }
  void observe(std::span<const Trial> trials) override {
    for (const Trial &trial : trials)
      observed.push_back(trial);
  }

  void survey(std::span<const Trial> trials) override {
    for (const Trial &trial : trials)
      surveyed.push_back(trial.configuration.indices[0]);
  }
  size_t choose(std::span<const Trial> compiled) override {
    return compiled.size() - 1;
  }

  std::vector<uint32_t> order;
  std::vector<uint32_t> surveyed;
  size_t next = 0;
  std::vector<size_t> asked;
  std::vector<Trial> observed;
};

} // namespace

/// Returns a recording of five points.
static Recording fiveTrials() {
  return accepted("a,time_s,status,compile_s,run_s,other_s\n"
                  "0,4,ok,1,2,0\n1,2,ok,1,1,0\n2,,compile_error,5,0,0\n"
                  "3,1,ok,1,1,1\n4,3,ok,1,0,0\n");
}

static std::vector<double> bests(const ReplayRun &run) {
  std::vector<double> bests;
  for (const ReplayStep &step : run.steps)
    bests.push_back(step.best);
  return bests;
}

static ReplayRun run(const Recording &recorded, Script &script,
                     const ReplayOptions &options = {}) {
  auto run = replay(recorded, script, options);
  EXPECT_TRUE(run.ok()) << run.error().message;
  return run ? std::move(*run) : ReplayRun();
}

TEST(Replay, TellsWhatWasRecorded) {
  Recording recorded = fiveTrials();
  Script script({2, 0, 4, 1});
  ReplayRun done = run(recorded, script);
  EXPECT_THAT(bests(done), ElementsAre(INFINITY, 4, 3, 2));
  EXPECT_EQ(done.steps[2].trial, 4u);
  EXPECT_EQ(done.steps[0].spent, 5);
  EXPECT_EQ(done.steps[3].spent, 5 + 3 + 1 + 2);
  EXPECT_TRUE(done.hasEnded);
  EXPECT_GT(done.proposingSeconds, 0);
  EXPECT_EQ(script.observed[0].status, Status::compile_error);
  EXPECT_FALSE(script.observed[0].measurement.has_value());
  EXPECT_EQ(script.observed[0].compileSeconds, 5);
  EXPECT_EQ(script.observed[1].measurement->ratio, 4);
  EXPECT_EQ(script.observed[1].configuration, Configuration{{0}});
  EXPECT_THAT(script.asked, testing::Each(1u));
}

TEST(Replay, KeepsToItsBudgets) {
  Recording recorded = fiveTrials();
  Script three({2, 0, 4, 1});
  ReplayRun done = run(recorded, three, {.trials = 3});
  EXPECT_EQ(done.steps.size(), 3u);
  EXPECT_FALSE(done.hasEnded);
  Script eight({2, 0, 4, 1});
  EXPECT_EQ(run(recorded, eight, {.seconds = 8}).steps.size(), 2u);
  Script more({2, 0, 4, 1});
  EXPECT_EQ(run(recorded, more, {.seconds = 8.5}).steps.size(), 3u);
}

TEST(Replay, EndsWhenItsBestIsGoodEnough) {
  Recording recorded = fiveTrials();
  Script script({2, 0, 4, 1, 3});
  ReplayRun done = run(recorded, script, {.enough = 2});
  EXPECT_THAT(bests(done), ElementsAre(INFINITY, 4, 3, 2));
  EXPECT_FALSE(done.hasEnded);
}

TEST(Replay, ObservesTheOldestOfThePending) {
  Recording recorded = fiveTrials();
  Script script({4, 3, 2, 1, 0});
  ReplayRun done = run(recorded, script, {.trials = 4, .pending = 3});
  // Three at once, then one for each that was observed.
  EXPECT_THAT(script.asked, ElementsAre(3, 1));
  EXPECT_THAT(bests(done), ElementsAre(3, 1, 1, 1));
  EXPECT_EQ(script.observed[3].configuration, Configuration{{1}});
}

TEST(Replay, WhatIsPendingIsObservedAlsoIfNothingMoreIsProposed) {
  Recording recorded = fiveTrials();
  Script script({4, 3});
  ReplayRun done = run(recorded, script, {.pending = 64});
  EXPECT_EQ(done.steps.size(), 2u);
  EXPECT_TRUE(done.hasEnded);
}

TEST(Replay, NoiseIsSeenButNotScored) {
  std::string text = "a,time_s\n";
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < 2000; ++i) {
    text += std::to_string(i) + ",2\n";
    order.push_back(i);
  }
  Recording recorded = accepted(text);
  Script script(order), again(order), other(order);
  ReplayOptions options = {.trials = 2000, .noise = 0.03, .seed = 5};
  EXPECT_THAT(bests(run(recorded, script, options)), testing::Each(2));
  run(recorded, again, options);
  options.seed = 6;
  run(recorded, other, options);
  double sum = 0, squares = 0;
  size_t same = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    double error = std::log(script.observed[i].measurement->ratio / 2);
    sum += error;
    squares += error * error;
    EXPECT_EQ(script.observed[i].measurement->ratio,
              again.observed[i].measurement->ratio);
    same += script.observed[i].measurement->ratio ==
            other.observed[i].measurement->ratio;
  }
  EXPECT_NEAR(sum / 2000, 0, 0.003);
  EXPECT_NEAR(std::sqrt(squares / 2000), 0.03, 0.002);
  EXPECT_EQ(same, 0u);
}

TEST(Replay, WithNoiseTheBestIsTheOneThatSeemsBest) {
  Recording recorded = accepted("a,time_s\n0,1.0\n1,1.001\n");
  bool hasErred = false;
  for (uint64_t seed = 0; seed < 32 && !hasErred; ++seed) {
    Script script({0, 1});
    ReplayRun done = run(recorded, script, {.noise = 0.05, .seed = seed});
    bool seemsBetter = script.observed[1].measurement->ratio <
                       script.observed[0].measurement->ratio;
    hasErred = seemsBetter;
    EXPECT_EQ(done.steps[1].best, seemsBetter ? 1.001 : 1.0);
  }
  EXPECT_TRUE(hasErred);
}

TEST(Replay, FinalsFindTheBestOfWhatSeemedClose) {
  // Near ones, and one so far away that no luck brings it to the finals.
  Recording recorded = accepted("a,time_s\n0,1.03\n1,1.0\n2,1.02\n3,2.0\n");
  size_t mistakes = 0, withFinals = 0;
  for (uint64_t seed = 0; seed < 64; ++seed) {
    Script script({0, 1, 2, 3}), again({0, 1, 2, 3});
    ReplayOptions options = {.trials = 4, .noise = 0.03, .seed = seed};
    mistakes += run(recorded, script, options).steps[3].best != 1;
    options.finalNoise = 0.001;
    withFinals += run(recorded, again, options).steps[3].best != 1;
    for (size_t i = 0; i < 4; ++i) // the strategy sees the same
      EXPECT_EQ(script.observed[i].measurement->ratio,
                again.observed[i].measurement->ratio);
  }
  EXPECT_GT(mistakes, 10u);
  EXPECT_EQ(withFinals, 0u);
}

TEST(Replay, FinalsHaveTheirOwnErrorAndTheBestSeenOnly) {
  // 64 at the most, of which the 65th as seen is none.
  std::string text = "a,time_s\n";
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < 80; ++i) {
    text += std::to_string(i) + "," + (i == 0 ? "1.0" : "1.001") + "\n";
    order.push_back(i);
  }
  Recording recorded = accepted(text);
  size_t missed = 0, erred = 0;
  for (uint64_t seed = 0; seed < 64; ++seed) {
    Script script(order), again(order);
    ReplayOptions options = {
        .trials = 80, .noise = 0.03, .finalNoise = 1e-6, .seed = seed};
    missed += run(recorded, script, options).steps.back().best != 1;
    options.finalNoise = 0.01;
    erred += run(recorded, again, options).steps.back().best != 1;
  }
  EXPECT_GT(missed, 2u);
  EXPECT_LT(missed, 32u);
  EXPECT_GT(erred, 48u);
}

TEST(Replay, WhatWasNotRecordedIsAnError) {
  Recording recorded = accepted("a,b,time_s\n0,0,1\n1,1,2\n");
  class Elsewhere : public Script {
  public:
    using Script::Script;
    std::vector<Configuration> propose(size_t) override { return {{{0, 1}}}; }
  };
  Elsewhere elsewhere(std::vector<uint32_t>{});
  EXPECT_THAT(replay(recorded, elsewhere, {}).error().message,
              testing::AllOf(HasSubstr("{\"a\":0,\"b\":1}"),
                             HasSubstr("'file' does not have")));
  Script twice({3, 3});
  EXPECT_THAT(replay(fiveTrials(), twice, {}).error().message,
              HasSubstr("twice"));
}

/// Returns a recording of four points; the bound of the last is wrong.
static Recording boundedTrials() {
  return accepted("a,time_s,usage.time_bound_seconds,usage.registers\n"
                  "0,4,3,7\n1,2,1.5,\n2,5,2.3,\n3,1,1.2,\n4,6,4.5,\n");
}

static std::vector<Status> statusesOf(const Script &script) {
  std::vector<Status> statuses;
  for (const Trial &trial : script.observed)
    statuses.push_back(trial.status);
  return statuses;
}

TEST(Replay, RecordingsMayHaveUsage) {
  Recording recorded = boundedTrials();
  EXPECT_EQ(recorded.trials()[0].usage.registers, 7u);
  EXPECT_EQ(recorded.trials()[1].usage.registers, std::nullopt);
  EXPECT_EQ(recorded.trials()[1].usage.timeBound->seconds, 1.5);
  EXPECT_THAT(refusal("a,time_s,usage.registers\n0,4,many\n"),
              HasSubstr("registers"));
}

TEST(Replay, TimeBoundsSaveTrialsUntilOneIsWrong) {
  Recording recorded = boundedTrials();
  Script script({0, 1, 2, 3, 4});
  ReplayOptions options;
  options.use.usesBounds = true;
  ReplayRun done = run(recorded, script, options);
  EXPECT_THAT(statusesOf(script),
              ElementsAre(Status::ok, Status::ok, Status::bounded, Status::ok,
                          Status::ok));
  EXPECT_EQ(script.observed[2].ratioBound, 2.3);
  EXPECT_THAT(bests(done), ElementsAre(4, 2, 1, 1));
  EXPECT_EQ(done.bounded, 1u);
}

TEST(Replay, StrategiesChooseAmongWhatWasCompiled) {
  Recording recorded = boundedTrials();
  Script script({0, 1, 2, 3, 4});
  ReplayOptions options;
  options.use.compileAhead = 2;
  ReplayRun done = run(recorded, script, options);
  EXPECT_THAT(script.surveyed, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(bests(done), ElementsAre(2, 1, 1, 1, 1));
  EXPECT_EQ(done.compiled, 5u);
}
