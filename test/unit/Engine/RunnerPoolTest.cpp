//===- Tests of sessions on several devices -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TuningFixture.h"

#include "tonno/Engine/RunnerPool.h"

#include <atomic>
#include <barrier>
#include <latch>

using namespace tonno;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::UnorderedElementsAre;

namespace {

/// A device that may be another than expected, or go away.
class PooledRunner : public FakeRunner {
public:
  explicit PooledRunner(std::string uuid) { about.uuid = std::move(uuid); }

  Result<DeviceDescription> device() override {
    if (isGone)
      return Error{"no such device"};
    return about;
  }
  Result<void> open(const RunnerSession &session) override {
    if (isGone)
      return Error{"no such device"};
    if (!openError.empty())
      return Error{openError};
    return FakeRunner::open(session);
  }

  DeviceDescription about{"cuda", "H100", ""};
  std::string openError;
  std::atomic<bool> isGone = false;
};

class RunnerPoolTest : public TuningSessionTest {
protected:
  /// Runs a session on these devices: "cuda:0", "cuda:1", ...
  Result<SessionOutcome> tryRunOnPool() {
    std::vector<RunnerPool::Device> devices;
    for (size_t i = 0; i < runners.size(); ++i)
      devices.push_back({std::move(owned[i]), "cuda:" + std::to_string(i)});
    pool.emplace(
        std::move(devices),
        [this](const std::string &message) { log.warn(message); },
        [this] { return interrupted(); });
    if (isDescribedFirst)
      EXPECT_TRUE(pool->device().ok());
    if (auto isOpen = pool->open(opened); !isOpen)
      return isOpen.error();
    TuningSession session(space, compiler, &*pool, strategy, log, opened,
                          budget, pendingFor(1, pool->size()),
                          [this] { return interrupted(); });
    session.setDevices(*pool);
    session.setStops(stops);
    return session.run();
  }
  SessionOutcome runOnPool() {
    auto outcome = tryRunOnPool();
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    return outcome ? *outcome : SessionOutcome();
  }

  PooledRunner &add() {
    owned.push_back(
        std::make_unique<PooledRunner>("uuid " + std::to_string(owned.size())));
    runners.push_back(owned.back().get());
    return *runners.back();
  }

  /// Returns how often each candidate but the default was measured.
  std::map<int, size_t> countMeasured() const {
    std::map<int, size_t> counts;
    for (const PooledRunner *runner : runners)
      for (int x : runner->measured)
        if (x != 0)
          ++counts[x];
    return counts;
  }

  std::vector<std::unique_ptr<PooledRunner>> owned;
  std::vector<PooledRunner *> runners;
  std::optional<RunnerPool> pool;
  bool isDescribedFirst = false; ///< as tuners do for the key of the cache
  SearchStops stops;
};

std::map<int, size_t> onceEach() {
  std::map<int, size_t> counts;
  for (int x = 1; x < 10; ++x)
    counts[x] = 1;
  return counts;
}

TEST_F(RunnerPoolTest, DevicesTakeTrialsAtTheSameTime) {
  std::barrier together(3);
  for (int i = 0; i < 3; ++i)
    add().measure = [&](int x) {
      // All nine candidates come in rounds of three.
      if (x != 0)
        together.arrive_and_wait();
      return measuredAs((10 - x) / 10.0);
    };
  SessionOutcome outcome = runOnPool();
  EXPECT_EQ(chosen(outcome), 9u);
  EXPECT_EQ(countMeasured(), onceEach());
  std::map<std::string, int> byDevice;
  for (const Trial &trial : outcome.trials)
    ++byDevice[trial.device];
  EXPECT_EQ(byDevice,
            (std::map<std::string, int>{
                {"", 1}, {"cuda:0", 3}, {"cuda:1", 3}, {"cuda:2", 3}}));
  // The default is timed once more, on all of them at the same time.
  EXPECT_THAT(runners[0]->measured, Contains(0).Times(2));
  EXPECT_THAT(runners[1]->measured, Contains(0).Times(1));
  // Finals and test are the first one's.
  EXPECT_THAT(runners[0]->compared, ElementsAre(9));
  EXPECT_THAT(runners[1]->compared, IsEmpty());
  EXPECT_THAT(log.warnings, IsEmpty());
}

TEST_F(RunnerPoolTest, OneDeviceNeedsNoComparison) {
  add();
  SessionOutcome outcome = runOnPool();
  EXPECT_EQ(chosen(outcome), 9u);
  EXPECT_THAT(runners[0]->measured, SizeIs(10));
  EXPECT_EQ(outcome.trials.back().device, "");
}

TEST_F(RunnerPoolTest, DeviceThatDiesCostsNothingButItself) {
  std::latch death(1);
  auto mourn = [&](int x) {
    if (x != 0)
      death.wait();
    return measuredAs((10 - x) / 10.0);
  };
  add().measure = mourn;
  PooledRunner &mortal = add();
  add().measure = mourn;
  mortal.measure = [&](int x) {
    if (x == 0)
      return measuredAs(1);
    mortal.isGone = true;
    death.count_down();
    return failedAs(Status::lost, "fell off the bus");
  };
  SessionOutcome outcome = runOnPool();
  EXPECT_EQ(chosen(outcome), 9u);
  EXPECT_TRUE(outcome.isConclusive);
  EXPECT_THAT(outcome.trials, Each(testing::Field(&Trial::status, Status::ok)));
  EXPECT_THAT(outcome.trials, SizeIs(10));
  EXPECT_THAT(log.warnings,
              ElementsAre("the device 'cuda:1' is left out: it is gone: fell "
                          "off the bus"));
  EXPECT_EQ(pool->size(), 2u);
}

TEST_F(RunnerPoolTest, FirstDeviceThatDiesHasASuccessor) {
  PooledRunner &mortal = add();
  add();
  std::atomic<int> left = 3; // the default twice, and a trial
  mortal.measure = [&](int x) {
    if (left-- > 0)
      return measuredAs((10 - x) / 10.0);
    mortal.isGone = true;
    return failedAs(Status::lost, "fell off the bus");
  };
  SessionOutcome outcome = runOnPool();
  EXPECT_EQ(chosen(outcome), 9u);
  EXPECT_TRUE(outcome.isConclusive);
  EXPECT_THAT(runners[1]->compared, ElementsAre(9));
}

TEST_F(RunnerPoolTest, LastDeviceThatDiesEndsTheSession) {
  std::atomic<int> left = 6;
  for (int i = 0; i < 2; ++i) {
    PooledRunner &runner = add();
    runner.measure = [&](int x) {
      if (left-- > 0)
        return measuredAs((10 - x) / 10.0);
      runner.isGone = true;
      return failedAs(Status::lost, "fell off the bus");
    };
  }
  SessionOutcome outcome = runOnPool();
  EXPECT_TRUE(outcome.isCutShort);
  EXPECT_FALSE(outcome.isConclusive);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::interrupted);
  EXPECT_THAT(log.warnings, Contains(HasSubstr("is left out: it is gone")));
  EXPECT_THAT(log.warnings,
              Contains(HasSubstr("candidates in a row were lost")));
  EXPECT_NE(chosen(outcome), 0u);
}

TEST_F(RunnerPoolTest, CandidateThatIsLostOnTwoDevicesIsLost) {
  for (int i = 0; i < 2; ++i)
    add().measure = [](int x) {
      return x == 4 ? failedAs(Status::lost, "the runner was ended")
                    : measuredAs((10 - x) / 10.0);
    };
  SessionOutcome outcome = runOnPool();
  EXPECT_EQ(countMeasured()[4], 2u);
  EXPECT_EQ(chosen(outcome), 9u);
  EXPECT_THAT(log.warnings, IsEmpty());
  EXPECT_EQ(pool->size(), 2u);
}

TEST_F(RunnerPoolTest, BusyDeviceIsLeftOut) {
  std::latch tries(3);
  add().measure = [&](int x) {
    if (x != 0)
      tries.wait();
    return measuredAs((10 - x) / 10.0);
  };
  add().measure = [&](int x) {
    if (x == 0)
      return measuredAs(1);
    tries.count_down();
    return failedAs(Status::contended, "in use");
  };
  SessionOutcome outcome = runOnPool();
  EXPECT_EQ(chosen(outcome), 9u);
  EXPECT_THAT(log.warnings,
              ElementsAre("the device 'cuda:1' is left out: 3 trials in a row "
                          "failed there, the last: in use"));
  EXPECT_THAT(outcome.trials, Each(testing::Field(&Trial::status, Status::ok)));
}

TEST_F(RunnerPoolTest, SlowDeviceIsLeftOutByName) {
  add();
  add().measure = [](int x) {
    RunResult result = measuredAs((10 - x) / 10.0);
    result.measurement->baselineSeconds = {6, 1.19e-3, 1.19e-3, 1.2e-3, 1.3e-3};
    return result;
  };
  add();
  runOnPool();
  EXPECT_THAT(log.warnings,
              ElementsAre("the device 'cuda:1' is left out: the default takes "
                          "1.20 ms on it, and 1.00 ms on 'cuda:0'"));
  EXPECT_THAT(runners[1]->measured, ElementsAre(0, 0, 0));
}

TEST_F(RunnerPoolTest, DeviceThatIsSlowOnceIsNot) {
  add();
  std::atomic<int> slow = 2;
  add().measure = [&](int x) {
    RunResult result = measuredAs((10 - x) / 10.0);
    if (slow-- > 0)
      result.measurement->baselineSeconds = {6, 2e-3, 2e-3, 2e-3, 2e-3};
    return result;
  };
  // Noise is no slowness.
  add().measure = [](int x) {
    RunResult result = measuredAs((10 - x) / 10.0);
    result.measurement->baselineSeconds = {6, 1e-3, 1.05e-3, 1.3e-3, 2e-3};
    return result;
  };
  runOnPool();
  EXPECT_THAT(log.warnings, IsEmpty());
  EXPECT_EQ(pool->size(), 3u);
}

TEST_F(RunnerPoolTest, UnlikeDevicesAreLeftOut) {
  add();
  add().about.name = "H200";
  add().about.uuid = "uuid 0";
  add().openError = "no memory";
  add().measure = [](int) { return failedAs(Status::wrong, "element 5"); };
  SessionOutcome outcome = runOnPool();
  EXPECT_EQ(chosen(outcome), 9u);
  EXPECT_THAT(
      log.warnings,
      UnorderedElementsAre(
          HasSubstr("'cuda:1' is left out: it is H200, and 'cuda:0' is H100"),
          HasSubstr("'cuda:2' is left out: it is the same device as 'cuda:0'"),
          HasSubstr("'cuda:3' is left out: no memory"),
          HasSubstr("'cuda:4' is left out: the default configuration fails "
                    "there, 'wrong': element 5")));
  EXPECT_EQ(pool->size(), 1u);
  EXPECT_EQ(countMeasured(), onceEach());
}

TEST_F(RunnerPoolTest, EqualBinariesAreMeasuredOnce) {
  // Four binaries: 1; 2 and 3; 4 to 7; 8 and 9.
  compiler.compile = [](int x) {
    return compiled(x < 2 ? x : x < 4 ? 2 : x < 8 ? 4 : 8);
  };
  for (int i = 0; i < 3; ++i)
    add();
  SessionOutcome outcome = runOnPool();
  EXPECT_EQ(countMeasured(),
            (std::map<int, size_t>{{1, 1}, {2, 1}, {4, 1}, {8, 1}}));
  EXPECT_THAT(outcome.trials, SizeIs(10));
  EXPECT_THAT(outcome.trials, Each(testing::Field(&Trial::status, Status::ok)));
}

TEST_F(RunnerPoolTest, EqualBinaryRunsIfTheFirstWasLost) {
  compiler.compile = [](int) { return compiled(1); };
  std::atomic<int> losses = 2;
  for (int i = 0; i < 2; ++i)
    add().measure = [&](int x) {
      if (x == 1 && losses-- > 0)
        return failedAs(Status::lost, "the runner was ended");
      return measuredAs(0.5);
    };
  compiler.compile = [](int x) { return compiled(x == 0 ? 0 : 1); };
  SessionOutcome outcome = runOnPool();
  EXPECT_THAT(outcome.trials, SizeIs(10));
  size_t lost = 0;
  for (const Trial &trial : outcome.trials)
    lost += trial.status == Status::lost;
  EXPECT_EQ(lost, 1u);
  EXPECT_EQ(countMeasured()[1], 3u);
}

TEST_F(RunnerPoolTest, WithoutADefaultOneDeviceTakesAll) {
  for (int i = 0; i < 2; ++i)
    add().measure = [](int x) {
      return x == 0 ? failedAs(Status::wrong, "element 5")
                    : measuredAs((10 - x) / 10.0);
    };
  SessionOutcome outcome = runOnPool();
  EXPECT_EQ(outcome.comparison.verdict, Verdict::no_baseline);
  EXPECT_THAT(runners[1]->measured, IsEmpty());
  EXPECT_THAT(log.warnings,
              Contains(HasSubstr("one of them takes all trials")));
}

TEST_F(RunnerPoolTest, HangsAreTheCandidatesFault) {
  for (Status status : {Status::hang, Status::out_of_memory}) {
    runners.clear();
    owned.clear();
    strategy = CountingStrategy();
    for (int i = 0; i < 2; ++i)
      add().measure = [=](int x) {
        return x > 0 && x < 8 ? failedAs(status, "no end")
                              : measuredAs((10 - x) / 10.0);
      };
    SessionOutcome outcome = runOnPool();
    EXPECT_EQ(chosen(outcome), 9u);
    EXPECT_EQ(countMeasured(), onceEach());
    EXPECT_THAT(log.warnings, IsEmpty());
  }
}

TEST_F(RunnerPoolTest, SilenceOfADeviceThatIsGoneIsNotTheCandidates) {
  add();
  PooledRunner &dying = add();
  dying.measure = [&](int x) {
    if (x == 0)
      return measuredAs(1);
    dying.isGone = true;
    return failedAs(Status::hang, "no end");
  };
  SessionOutcome outcome = runOnPool();
  EXPECT_EQ(chosen(outcome), 9u);
  for (const Trial &trial : outcome.trials)
    EXPECT_TRUE(trial.ok()) << trial.message;
  EXPECT_THAT(log.warnings, Contains(HasSubstr("'cuda:1' is left out")));
}

TEST_F(RunnerPoolTest, SilenceOfTheLastDeviceIsNotTheCandidates) {
  std::atomic<int> left = 6;
  for (int i = 0; i < 2; ++i) {
    PooledRunner &runner = add();
    runner.measure = [&](int x) {
      if (left-- > 0)
        return measuredAs((10 - x) / 10.0);
      runner.isGone = true;
      return failedAs(Status::hang, "no end");
    };
  }
  SessionOutcome outcome = runOnPool();
  EXPECT_TRUE(outcome.isCutShort);
  EXPECT_THAT(outcome.trials,
              Not(Contains(Field(&Trial::status, Status::hang))));
}

TEST_F(RunnerPoolTest, OthersAreComparedWithTheFirstThoughItIsSlow) {
  add().measure = [](int x) {
    RunResult result = measuredAs((10 - x) / 10.0);
    result.measurement->baselineSeconds = {6, 2e-3, 2e-3, 2e-3, 2e-3};
    return result;
  };
  add().about.name = "H200";
  runOnPool();
  EXPECT_THAT(log.warnings, ElementsAre(HasSubstr("'cuda:1' is left out: it is "
                                                  "H200, and 'cuda:0'")));
}

TEST_F(RunnerPoolTest, FirstStaysIfTheDefaultRunsOnNone) {
  std::atomic<int> left = 1; // the trial
  add().measure = [&](int x) {
    return x == 0 && left-- <= 0 ? failedAs(Status::contended, "in use")
                                 : measuredAs((10 - x) / 10.0);
  };
  add().openError = "no such device";
  SessionOutcome outcome = runOnPool();
  EXPECT_EQ(chosen(outcome), 9u);
  EXPECT_EQ(countMeasured(), onceEach());
  EXPECT_THAT(log.warnings, ElementsAre(HasSubstr("'cuda:1' is left out")));
}

TEST_F(RunnerPoolTest, FirstDeviceThatDiesInTheTestHasASuccessor) {
  PooledRunner &mortal = add();
  add();
  mortal.compare = [&](int) {
    mortal.isGone = true;
    return failedAs(Status::lost, "fell off the bus");
  };
  SessionOutcome outcome = runOnPool();
  EXPECT_EQ(chosen(outcome), 9u);
  EXPECT_EQ(outcome.comparison.verdict, Verdict::faster);
  EXPECT_TRUE(outcome.isConclusive);
  EXPECT_THAT(log.warnings, ElementsAre(HasSubstr("'cuda:0' is left out: it is "
                                                  "gone")));
}

TEST_F(RunnerPoolTest, FirstDeviceThatIsMissingHasASuccessor) {
  add().isGone = true;
  add();
  SessionOutcome outcome = runOnPool();
  EXPECT_EQ(chosen(outcome), 9u);
  EXPECT_TRUE(outcome.isConclusive);
}

TEST_F(RunnerPoolTest, OthersAreComparedIfTheFirstIsMissing) {
  // It described itself as the session began.
  PooledRunner &first = add();
  first.measure = [&](int x) {
    first.isGone = x == 0;
    return measuredAs((10 - x) / 10.0);
  };
  add();
  add().about.name = "H200";
  add().about.uuid = "uuid 1";
  EXPECT_EQ(chosen(runOnPool()), 9u);
  EXPECT_THAT(
      log.warnings,
      UnorderedElementsAre(
          HasSubstr("'cuda:0' is left out"),
          HasSubstr("'cuda:2' is left out: it is H200, and 'cuda:1' is H100"),
          HasSubstr("'cuda:3' is left out: it is the same device as "
                    "'cuda:1'")));
}

TEST_F(RunnerPoolTest, OthersAreComparedWithTheSessionsDevice) {
  add().measure = [&](int x) {
    runners[0]->isGone = x == 0;
    return measuredAs((10 - x) / 10.0);
  };
  add().about.name = "H200";
  add();
  isDescribedFirst = true;
  EXPECT_EQ(chosen(runOnPool()), 9u);
  EXPECT_THAT(log.warnings, UnorderedElementsAre(
                                HasSubstr("'cuda:0' is left out"),
                                HasSubstr("'cuda:1' is left out: it is H200, "
                                          "and 'cuda:0' is H100")));
  EXPECT_EQ(pool->size(), 1u);
}

TEST_F(RunnerPoolTest, DevicesTakeTurns) {
  for (int i = 0; i < 3; ++i)
    add();
  std::map<std::string, int> byDevice;
  for (const Trial &trial : runOnPool().trials)
    ++byDevice[trial.device];
  EXPECT_THAT(byDevice, SizeIs(4));
}

TEST_F(RunnerPoolTest, WhatTheSessionAsksForMeanwhileWaitsForTrials) {
  std::atomic<int> running = 0;
  std::atomic<bool> wasBeside = false;
  for (int i = 0; i < 2; ++i)
    add().measure = [&](int x) {
      ++running;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      --running;
      return measuredAs((10 - x) / 10.0);
    };
  size_t asked = 0;
  auto ask = [&](const Trial &, uint32_t) {
    RunRequest peaks;
    peaks.kind = RunRequest::Kind::verify;
    peaks.candidate = *compiled(1).artifact;
    pool->run(peaks);
    wasBeside = wasBeside || running > 0;
    return ++asked == 100;
  };
  stops.isEnough = ask;
  SessionOutcome outcome = runOnPool();
  EXPECT_EQ(chosen(outcome), 9u);
  EXPECT_GT(asked, 5u);
  EXPECT_FALSE(wasBeside);
}

TEST_F(RunnerPoolTest, InterruptWhileDevicesAreComparedLeavesNoneOut) {
  std::atomic<int> left = 1; // the trial
  std::atomic<bool> isInterrupted = false;
  interrupted = [&] { return isInterrupted.load(); };
  for (int i = 0; i < 2; ++i)
    add().measure = [&](int) {
      isInterrupted = left-- <= 0;
      return isInterrupted ? failedAs(Status::lost, "interrupted")
                           : measuredAs(1);
    };
  SessionOutcome outcome = runOnPool();
  EXPECT_EQ(outcome.comparison.verdict, Verdict::interrupted);
  EXPECT_THAT(log.warnings, IsEmpty());
}

TEST_F(RunnerPoolTest, InterruptEndsAllDevices) {
  std::atomic<bool> isInterrupted = false;
  interrupted = [&] { return isInterrupted.load(); };
  for (int i = 0; i < 2; ++i)
    add().measure = [&](int x) {
      if (x == 3)
        isInterrupted = true;
      return isInterrupted ? failedAs(Status::lost, "interrupted")
                           : measuredAs((10 - x) / 10.0);
    };
  SessionOutcome outcome = runOnPool();
  EXPECT_EQ(outcome.comparison.verdict, Verdict::interrupted);
  EXPECT_THAT(log.warnings, IsEmpty());
  EXPECT_EQ(pool->size(), 2u);
}

TEST(CallQueueTest, CallsAreMadeByTheThreadThatMadeIt) {
  CallQueue calls;
  std::vector<int> made;
  calls.call([&] { made.push_back(1); });
  EXPECT_THAT(made, ElementsAre(1));
  std::thread([&] { calls.call([&] { made.push_back(2); }); }).join();
  EXPECT_THAT(made, ElementsAre(1));
  calls.run();
  EXPECT_THAT(made, ElementsAre(1, 2));
}

} // namespace
