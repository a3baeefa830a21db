//===- Tests for progress reports -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LiveStatus.h"

#include "tonno/Session/Progress.h"

#include <gmock/gmock.h>
#include <sstream>

using namespace tonno;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

static std::string reportOf(const Comparison &comparison) {
  KernelOutcome outcome;
  outcome.kernel = "k";
  outcome.decision.comparison = comparison;
  std::ostringstream stream;
  Progress(stream).decided(outcome);
  return stream.str();
}

/// An interval that lies over 1 is no gain at the test's level.
TEST(Progress, ATieSaysWhatItsTestShows) {
  Comparison comparison = {Verdict::tie, {64, 1, 1, 1, 1}, {64, 1, 1, 1, 1},
                           1.1,          {1.033, 1.165},   64};
  comparison.shownSpeedup = 0.982;
  EXPECT_THAT(
      reportOf(comparison),
      HasSubstr("1.1x [1.033, 1.165] cold, 95 % interval over 64 rounds for "
                "the best candidate; at 99.9 % it is at least 0.982x, not "
                "1.005x, so the default stays\n"));
  comparison.shownSpeedup.reset();
  EXPECT_THAT(reportOf(comparison),
              HasSubstr("at 99.9 % a gain of 0.5 % is not certain, so the "
                        "default stays\n"));
  comparison.verdict = Verdict::faster;
  EXPECT_THAT(reportOf(comparison), HasSubstr("over 64 rounds\n"));
}

/// A kernel that was tuned cold may be slower in a loop that keeps its data in
/// the cache.
TEST(Progress, GainThatTheCacheTakesBackIsReported) {
  Comparison comparison = {Verdict::faster,  {64, 1, 1, 1, 1},
                           {64, 1, 1, 1, 1}, 1.22,
                           {1.2, 1.24},      64};
  EXPECT_THAT(reportOf(comparison), Not(HasSubstr("warm")));
  comparison.otherSpeedup = Speedup{1.1, {1.05, 1.15}};
  EXPECT_THAT(reportOf(comparison), Not(HasSubstr("warm")));
  comparison.otherSpeedup = Speedup{0.79, {0.78, 0.8}};
  EXPECT_THAT(
      reportOf(comparison),
      AllOf(HasSubstr("[1.2, 1.24] cold,"),
            HasSubstr("warm      0.79x [0.78, 0.8]"),
            HasSubstr("tune for this state by '--cache-state=warm'\n")));
  comparison.cacheState = CacheState::warm;
  EXPECT_THAT(reportOf(comparison),
              AllOf(HasSubstr("[1.2, 1.24] warm,"),
                    HasSubstr("cold      0.79x [0.78, 0.8]")));
}

/// '--apply' ranks by ratios: energies of defaults that were measured apart
/// from each other would show another order.
TEST(Progress, EnergiesOfAFrontHaveTheOrderOfItsRatios) {
  auto point = [](double j, double ratio) {
    FrontPoint made;
    made.comparison.speedup = 1.1;
    made.energy.emplace();
    made.energy->baselineSeconds = {16, j, j, j, j};
    made.energy->speedup = ratio;
    return made;
  };
  KernelOutcome outcome;
  outcome.oracle.front = {Resource::energy};
  outcome.decision.front = {point(0.001, 1.1), point(0.0012, 1.2)};
  std::ostringstream stream;
  Progress(stream).decided(outcome);
  EXPECT_THAT(stream.str(), AllOf(HasSubstr("energy of 909 uJ"),
                                  HasSubstr("energy of 833 uJ")));
}

TEST(Progress, ALongStatusStandsApart) {
  std::ostringstream stream;
  Progress progress(stream, /*region=*/nullptr, /*isVerbose=*/true);
  SearchSpace space({{"F", {1, 4}}});
  progress.started("k", space, {});
  for (Status status : {Status::compile_error, Status::nondeterministic,
                        Status::out_of_bounds, Status::wrong}) {
    Trial trial;
    trial.status = status;
    trial.configuration = {{1}};
    progress.record(trial, nullptr);
    EXPECT_THAT(stream.str(), HasSubstr(std::string(toString(status)) + " "));
  }
}

TEST(Progress, ASizeThatDoesNotFitIsSaidToBeOver) {
  std::vector<Knob> knobs;
  for (int i = 0; i < 70; ++i)
    knobs.push_back({"K" + std::to_string(i), {0, 1}, 0});
  KernelOutcome outcome;
  auto report = [&] {
    std::ostringstream stream;
    Progress(stream).decided(outcome);
    return stream.str();
  };
  outcome.space = SearchSpace(knobs);
  EXPECT_THAT(report(), HasSubstr("0 of over 2^64 configurations in"));
  outcome.space = *SearchSpace::create(knobs, {"K0 + K1 <= 1"});
  EXPECT_THAT(report(), HasSubstr("0 of the legal ones of over 2^64 config"));
  knobs.resize(40);
  outcome.space = *SearchSpace::create(knobs, {"K0 + K1 <= 1"});
  EXPECT_THAT(report(), HasSubstr("0 of at most 1099511627776 configurations"));
}

TEST(Progress, ControlCharactersOfNamesAndMessagesAreEscaped) {
  std::ostringstream stream;
  Progress progress(stream, /*region=*/nullptr, /*isVerbose=*/true);
  SearchSpace space({{"F\x1b[1m", {"\x1b[2m"}}});
  progress.started("k\x1b[3m", space, {});
  Trial trial;
  trial.configuration = space.defaultConfiguration();
  trial.status = Status::compile_error;
  trial.message = "\x1b[4m";
  trial.reason = "\x1b[5m";
  progress.record(trial, nullptr);
  progress.warn("\x1b[6m");
  progress.skipped("\x1b[7m");
  progress.waiting("\x1b[8m");
  KernelOutcome outcome;
  outcome.kernel = "k\x1b[3m";
  outcome.decision.values = space.values(trial.configuration);
  progress.decided(outcome);
  EXPECT_EQ(stream.str().find('\x1b'), std::string::npos) << stream.str();
  for (int i = 1; i <= 8; ++i)
    EXPECT_THAT(stream.str(), HasSubstr("\\x1b[" + std::to_string(i) + "m"));
}

static std::shared_ptr<LiveRegion> makeRegion(std::ostream &stream) {
  return std::make_shared<LiveRegion>(stream, LiveRegion::Options());
}

TEST(Progress, OnATerminalOnlyItsOwnSequencesAreLeft) {
  std::ostringstream stream;
  Progress progress(stream, makeRegion(stream));
  SearchSpace space({{"F", {1}}});
  progress.started("k\x1b[3m", space, {});
  EXPECT_EQ(stream.str(), "@k\\x1b[3m  baseline, 0/1 trials in 0 s\n");
  Trial trial;
  trial.configuration = space.defaultConfiguration();
  trial.status = Status::wrong;
  progress.record(trial, nullptr);
  EXPECT_THAT(stream.str(),
              testing::EndsWith("\x1b[2K\n\r\x1b[1A@k\\x1b[3m  baseline, 1/1 "
                                "trials in 0 s: 1 wrong\n"));
}

TEST(Progress, StatesOnATerminalWhichKernelOfAModelIsTimed) {
  ModelKernelOutcome kernel;
  kernel.kernel = "kernel_3";
  kernel.name = "layer1.tanh";
  for (bool isTerminal : {true, false}) {
    std::ostringstream stream;
    Progress progress(stream, isTerminal ? makeRegion(stream) : nullptr);
    progress.timingInModel(kernel, 2, 23);
    progress.finish();
    EXPECT_EQ(stream.str(), isTerminal
                                ? "timing kernel 2 of 23 by default, kernel_3 "
                                  "(layer1.tanh)\n\r\x1b[1A\x1b[2K\n\r\x1b[1A"
                                : "");
  }
}

/// Returns an ok trial with the default configuration.
static Trial makeTrial(const SearchSpace &space) {
  Trial trial;
  trial.configuration = space.defaultConfiguration();
  trial.measurement = Measurement{{6, 1e-3, 1e-3, 1e-3, 1e-3},
                                  {6, 2e-3, 2e-3, 2e-3, 2e-3},
                                  0.5,
                                  {0.4, 0.625}};
  return trial;
}

static SessionState makeState() {
  SessionState state{SessionPhase::search, 10, {5, 1, 3, 1}};
  state.phaseSecondsLeft = 20;
  state.sessionSecondsLeft = 90;
  state.condition.emplace();
  state.condition->clockMHz = 3705;
  state.condition->throttleReasons = {"heat"};
  return state;
}

TEST(Progress, ALiveRegionStatesTheSession) {
  double second = 100;
  SearchSpace space({{"F", {1, 2, 3}}});
  std::ostringstream stream;
  Progress progress(stream, makeRegion(stream), /*isVerbose=*/false,
                    [&] { return second; });
  DeviceDescription device;
  device.name = "A CPU";
  progress.timing(device);
  progress.started("k", space, {});
  Trial trial = makeTrial(space);
  progress.record(trial, &trial);
  stream.str("");
  progress.advance(makeState());
  EXPECT_THAT(
      stream.str(),
      AllOf(HasSubstr("@k  search, 1/3 trials in "), HasSubstr(": 1 ok\n"),
            HasSubstr("  best    1.00 ms, 2x [1.6, 2.5] the default  "
                      "F=1\n"),
            HasSubstr("  time    compiling 50 %, verifying 10 %, timing "
                      "30 %, idle 10 %\n"),
            HasSubstr("  device  A CPU, 3705 MHz, held back by heat\n")));
}

TEST(LiveStatus, TheTimeLeftPasses) {
  LiveStatus status;
  status.state = makeState();
  status.reportedAt = 100;
  auto left = [&](double now) {
    return describeStatus(status, now).at(2).text;
  };
  EXPECT_EQ(left(100), "about 20 s of the search, 1 min 30 s in all");
  EXPECT_EQ(left(115), "about 5 s of the search, 1 min 15 s in all");
  EXPECT_EQ(left(200), "about 0 s of the search, 0 s in all");
}

/// Logs of CI stay short: a line now and then, at the end of a trial.
TEST(Progress, LinesStateTheSessionNowAndThen) {
  double second = 100;
  SearchSpace space({{"F", {1, 2, 3}}});
  std::ostringstream stream;
  Progress progress(stream, /*region=*/nullptr, /*isVerbose=*/false,
                    [&] { return second; });
  progress.started("k", space, {});
  Trial trial = makeTrial(space);
  auto advance = [&] {
    progress.record(trial, &trial);
    progress.advance(makeState());
  };
  second = 101;
  advance();
  EXPECT_EQ(stream.str(), "");
  second = 140;
  advance();
  EXPECT_EQ(stream.str(),
            "@k search, 2/3 trials in 10 s; best 1.00 ms, 2x [1.6, 2.5] the "
            "default; left: about 20 s of the search, 1 min 30 s in all\n");
  second = 141;
  advance();
  EXPECT_EQ(std::ranges::count(stream.str(), '\n'), 1);
}
