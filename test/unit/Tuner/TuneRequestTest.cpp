//===- Options as users write them ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/TuneRequest.h"

#include <cmath>
#include <cstdlib>
#include <gmock/gmock.h>
#include <set>

using namespace tonno;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

static std::string refusal(const TuneRequest &request) {
  auto options = request.resolve();
  return options ? "accepted" : options.error().message;
}

TEST(Effort, PresetsAreAsDocumented) {
  EXPECT_EQ(parseEffort("quick")->budget.trials, 60u);
  EXPECT_EQ(parseEffort("quick")->budget.seconds, 120);
  EXPECT_EQ(parseEffort("quick")->strategy, "ensemble");
  EXPECT_EQ(parseEffort("full")->budget.trials, 400u);
  EXPECT_EQ(parseEffort("full")->budget.seconds, 1800);
  EXPECT_EQ(parseEffort("exhaustive")->strategy, "exhaustive");
  EXPECT_TRUE(std::isinf(parseEffort("exhaustive")->budget.seconds));
}

TEST(Effort, UnknownNameListsTheKnownOnes) {
  auto effort = parseEffort("heroic");
  ASSERT_FALSE(effort.ok());
  EXPECT_THAT(effort.error().message,
              AllOf(HasSubstr("'heroic'"), HasSubstr("none, quick, full")));
}

TEST(Effort, EveryMemberDecidesTheKey) {
  Effort quick = *parseEffort("quick");
  std::set<std::string> keys = {effortJson(quick).dump()};
  for (const auto &change : std::vector<std::function<void(Effort &)>>{
           [](Effort &e) { e.strategy = "exhaustive"; },
           [](Effort &e) { e.budget.trials = 61; },
           [](Effort &e) { e.budget.seconds = 121; }}) {
    Effort other = quick;
    change(other);
    keys.insert(effortJson(other).dump());
  }
  EXPECT_EQ(keys.size(), 4u);
}

TEST(TuneRequest, DefaultsResolve) {
  auto options = TuneRequest().resolve();
  ASSERT_TRUE(options.ok()) << options.error().message;
  EXPECT_EQ(options->target, "host");
  EXPECT_EQ(options->chip, "native");
  EXPECT_EQ(options->effort.budget.trials, 60u);
  EXPECT_EQ(options->cacheMode, CacheMode::read_write);
  EXPECT_FALSE(options->retune);
  EXPECT_FALSE(options->interrupted());
}

TEST(TuneRequest, EveryOptionArrives) {
  TuneRequest request;
  request.target = "t";
  request.chip = "c";
  request.kernel = "k";
  request.effort = "full";
  request.strategy = "exhaustive";
  request.budgetTrials = 7;
  request.budgetSeconds = 1.5;
  request.referenceSeconds = 2.5;
  request.startSeconds = 3.5;
  request.seed = 9;
  request.retune = true;
  request.cache = "ro";
  request.cacheDirectory = "d";
  request.store = "https://s";
  request.oracle.allowNan = true;
  request.workerCommands = {"w"};
  request.runnerCommands = {"ssh 'a host' r"};
  auto options = request.resolve();
  ASSERT_TRUE(options.ok()) << options.error().message;
  EXPECT_EQ(options->target, "t");
  EXPECT_EQ(options->chip, "c");
  EXPECT_EQ(options->kernel, "k");
  EXPECT_EQ(options->effort.strategy, "exhaustive");
  EXPECT_EQ(options->effort.budget.trials, 7u);
  EXPECT_EQ(options->effort.budget.seconds, 1.5);
  EXPECT_EQ(options->referenceSeconds, 2.5);
  EXPECT_EQ(options->startSeconds, 3.5);
  EXPECT_EQ(options->seed, 9u);
  EXPECT_TRUE(options->retune);
  EXPECT_EQ(options->cacheMode, CacheMode::read_only);
  EXPECT_EQ(options->cacheDirectory, "d");
  EXPECT_EQ(options->store, "https://s");
  EXPECT_EQ(options->oracle, request.oracle);
  EXPECT_THAT(options->workerCommands, ElementsAre(Command{"w"}));
  EXPECT_THAT(options->runnerCommands,
              ElementsAre(Command{"ssh", "a host", "r"}));
  request.cache = "off";
  EXPECT_EQ(request.resolve()->cacheMode, CacheMode::off);
}

TEST(TuneRequest, DevicesHaveACommandEachOrShareOne) {
  TuneRequest request;
  request.device = "host:0, host:1";
  request.runnerCommands = {"env a", "env b"};
  auto options = request.resolve();
  ASSERT_TRUE(options.ok()) << options.error().message;
  EXPECT_THAT(options->devices, ElementsAre("host:0", "host:1"));
  request.runnerCommands.pop_back();
  EXPECT_TRUE(request.resolve().ok());
  request.runnerCommands = {"env a", "env b", "env c"};
  EXPECT_THAT(refusal(request), HasSubstr("3 of '--runner-command' for 2 of"));
  request.device = "host";
  EXPECT_TRUE(request.resolve().ok());
  request.device = "host:0,host:0";
  EXPECT_THAT(refusal(request), HasSubstr("names 'host:0' twice"));
  request.device = "host,host:1";
  EXPECT_THAT(refusal(request), HasSubstr("number each, such as 'host:0'"));
  request.device = "host:0,cuda:1";
  EXPECT_THAT(refusal(request), HasSubstr("'--device=cuda:1' does not run"));
}

TEST(TuneRequest, CommandsOfOneWordEachAreJoinedInTheError) {
  TuneRequest request;
  request.runnerCommands = {"ssh", "no-such-host", "tonno-runner"};
  EXPECT_EQ(refusal(request),
            "there is no program 'no-such-host' for '--runner-command'; a "
            "command is one option: --runner-command=\"ssh no-such-host "
            "tonno-runner\"");
  request.runnerCommands = {"sh", "-c", "tonno-runner; exit $?"};
  EXPECT_THAT(refusal(request),
              HasSubstr("=\"sh -c 'tonno-runner; exit $?'\""));
  request.runnerCommands = {"env", "--driver=x"};
  EXPECT_THAT(refusal(request), HasSubstr("there is no program '--driver=x'"));
  request.runnerCommands = {" "};
  EXPECT_EQ(refusal(request), "'--runner-command' has no command");
}

TEST(TuneRequest, WrongOptionsAreNamed) {
  TuneRequest effort, strategy, cache, trials;
  effort.effort = "heroic";
  EXPECT_THAT(refusal(effort), HasSubstr("'heroic'"));
  strategy.strategy = "guess";
  EXPECT_THAT(refusal(strategy),
              AllOf(HasSubstr("'guess'"), HasSubstr("ensemble, exhaustive")));
  cache.cache = "maybe";
  EXPECT_THAT(refusal(cache),
              AllOf(HasSubstr("'maybe'"), HasSubstr("rw, ro, off")));
  trials.budgetTrials = 0;
  EXPECT_EQ(refusal(trials), "'--budget-trials' must be at least 1");
  for (double seconds : {0.0, -1.0, std::nan("")}) {
    TuneRequest request;
    request.budgetSeconds = seconds;
    EXPECT_EQ(refusal(request), "'--budget-seconds' must be more than 0");
    request = TuneRequest();
    request.referenceSeconds = seconds;
    EXPECT_EQ(refusal(request), "'--reference-seconds' must be more than 0");
    request = TuneRequest();
    request.compileSeconds = seconds;
    EXPECT_EQ(refusal(request), "'--compile-seconds' must be more than 0");
    request = TuneRequest();
    request.startSeconds = seconds;
    EXPECT_EQ(refusal(request), "'--start-seconds' must be more than 0");
  }
}

TEST(TuneRequest, ModeOfTheOptionWinsOverTheVariable) {
  ::setenv(modeVariable, "off", 1);
  TuneRequest request;
  EXPECT_TRUE(request.resolve()->isOff());
  request.mode = "tune";
  EXPECT_EQ(request.resolve()->mode.mode, TuneMode::tune);
  request.mode.reset();
  request.requireCached = true;
  EXPECT_TRUE(request.resolve()->requiresCache());
  ::setenv(modeVariable, "sometimes", 1);
  EXPECT_TRUE(request.resolve()->requiresCache());
  request.requireCached = false;
  EXPECT_THAT(refusal(request),
              HasSubstr("TONNO_MODE: unknown mode 'sometimes'"));
  ::unsetenv(modeVariable);
}

TEST(TuneRequest, ModesWithoutMeasurementsWriteNoFiles) {
  TuneRequest request;
  request.resume = true;
  for (const char *mode : {"cached", "off"}) {
    request.mode = mode;
    auto options = request.resolve();
    ASSERT_TRUE(options.ok()) << options.error().message;
    EXPECT_NE(options->cacheMode, CacheMode::read_write);
    EXPECT_FALSE(options->resume);
    EXPECT_EQ(options->journal.directory, "");
    EXPECT_EQ(options->failureDirectory, "");
  }
}

TEST(TuneRequest, ModeThatContradictsOtherOptionsIsRefused) {
  TuneRequest request;
  request.mode = "off";
  request.requireCached = true;
  EXPECT_THAT(refusal(request),
              HasSubstr("'--require-cached' contradicts '--mode="));
  request.requireCached = false;
  request.compileOnly = true;
  EXPECT_THAT(refusal(request), HasSubstr("a survey has no mode"));
  request.mode.reset();
  ::setenv(modeVariable, "off", 1);
  EXPECT_EQ(refusal(request), "accepted"); // where it is meant for decisions
  ::setenv(modeVariable, "cached", 1);
  request.compileOnly = false;
  request.cache = "off";
  EXPECT_EQ(
      refusal(request),
      "mode cached by TONNO_MODE needs the cache; leave out '--cache=off'");
  ::unsetenv(modeVariable);
}
