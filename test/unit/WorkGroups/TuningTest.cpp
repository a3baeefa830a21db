//===- Timing local sizes, by a fake launcher -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/WorkGroups/Tuning.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

using namespace tonno;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

namespace {

/// Launches take the configured times; the last one repeats.
class FakeLauncher : public Launcher {
public:
  Result<void> drain() override {
    log += "drain ";
    return drainFails ? Result<void>(Error{"no queue"}) : Result<void>();
  }

  Result<LaunchTimes> launch(const WorkSize &localSize) override {
    log += describe(localSize) + " ";
    if (auto error = errors.find(localSize); error != errors.end())
      return Error{error->second};
    size_t turn = launches[localSize]++;
    const auto &series = times[localSize];
    if (series.empty())
      return LaunchTimes{1, 100};
    return series[std::min(turn, series.size() - 1)];
  }

  std::map<WorkSize, std::vector<LaunchTimes>> times;
  std::map<WorkSize, std::string> errors;
  std::map<WorkSize, size_t> launches;
  std::string log;
  bool drainFails = false;
};

class Tuning : public testing::Test {
protected:
  AutotuneResult tune() {
    auto result = tuneWorkGroups(question, launcher);
    EXPECT_TRUE(result) << result.error().message;
    return result ? *result : AutotuneResult{};
  }

  FakeLauncher launcher;
  TuningQuestion question{.globalSize = {1024},
                          .candidates =
                              std::vector<WorkSize>{{32}, {64}, {128}},
                          .limits = {.deviceItems = 256, .kernelItems = 256}};
};

} // namespace

TEST_F(Tuning, DrainsFirstAndLaunchesEachFourTimes) {
  AutotuneResult result = tune();
  EXPECT_EQ(launcher.log, "drain 32 32 32 32 64 64 64 64 128 128 128 128 ");
  EXPECT_THAT(result.notes, IsEmpty());
}

TEST_F(Tuning, ExcludesTheFirstRunAndTakesTheMeanOfThree) {
  launcher.times[{64}] = {{1, 5000}, {1, 40}, {1, 50}, {1, 54}};
  AutotuneResult result = tune();
  EXPECT_EQ(result.bestLocalSize, WorkSize{64});
  EXPECT_DOUBLE_EQ(result.runtimeUs, 48);
  ASSERT_THAT(result.measured, SizeIs(3));
  EXPECT_THAT(result.measured[1].samplesUs, ElementsAre(40, 50, 54));
  EXPECT_FALSE(result.isBusy || result.isOverheadBound || result.isCached);
}

TEST_F(Tuning, ChoosesByTheMeanAndNotByTheLeast) {
  launcher.times[{32}] = {{1, 0}, {1, 50}, {1, 80}, {1, 80}};
  launcher.times[{64}] = {{1, 0}, {1, 60}, {1, 60}, {1, 60}};
  EXPECT_EQ(tune().bestLocalSize, WorkSize{64});
}

TEST_F(Tuning, TakesAsManyRunsAsAreAsked) {
  question.runs = 7;
  EXPECT_THAT(tune().measured[0].samplesUs, SizeIs(7));
  question.runs = 0;
  auto refused = tuneWorkGroups(question, launcher);
  EXPECT_EQ(refused.error().message,
            "a candidate needs at least one timed run");
}

TEST_F(Tuning, TriesTheDefaultOnesWithoutCandidates) {
  question.candidates.reset();
  EXPECT_THAT(tune().measured, SizeIs(9));
}

TEST_F(Tuning, NeverLaunchesWhatIsNotLegal) {
  question.candidates = std::vector<WorkSize>{{48}, {64}, {512}};
  AutotuneResult result = tune();
  EXPECT_EQ(launcher.log, "drain 64 64 64 64 ");
  ASSERT_THAT(result.leftOut, SizeIs(2));
  EXPECT_EQ(result.leftOut[0].localSize, WorkSize{48});
  EXPECT_EQ(result.leftOut[1].localSize, WorkSize{512});
}

TEST_F(Tuning, SkipsAFailingLaunchWithItsError) {
  launcher.times[{64}] = {{1, 10}};
  launcher.errors[{64}] = "CL_OUT_OF_RESOURCES";
  AutotuneResult result = tune();
  EXPECT_EQ(result.bestLocalSize, WorkSize{32});
  ASSERT_THAT(result.failed, SizeIs(1));
  EXPECT_EQ(result.failed[0].localSize, WorkSize{64});
  EXPECT_EQ(result.failed[0].reason, "CL_OUT_OF_RESOURCES");
  EXPECT_TRUE(result.check());
}

TEST_F(Tuning, SaysWhyNothingRan) {
  question.candidates = std::vector<WorkSize>{{48}, {64}};
  launcher.errors[{64}] = "CL_OUT_OF_RESOURCES";
  AutotuneResult result = tune();
  ASSERT_FALSE(result.check());
  EXPECT_THAT(result.check().error().message,
              HasSubstr("no local size could be measured; 48: 48 does not "
                        "divide the 1024 in dimension 0"));
  EXPECT_THAT(result.check().error().message,
              HasSubstr("; 64: CL_OUT_OF_RESOURCES"));
}

TEST_F(Tuning, FailsWithTheQueue) {
  launcher.drainFails = true;
  auto result = tuneWorkGroups(question, launcher);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "no queue");
}

TEST_F(Tuning, TakesTheFixed64WhereLaunchingDominates) {
  for (uint64_t size : {32, 64, 128})
    launcher.times[{size}] = {{20, size == 128 ? 4.0 : 5.0}};
  AutotuneResult result = tune();
  EXPECT_TRUE(result.isOverheadBound);
  EXPECT_EQ(result.bestLocalSize, WorkSize{64});
  EXPECT_DOUBLE_EQ(result.runtimeUs, 5);
  EXPECT_THAT(result.notes,
              ElementsAre("launching takes longer than the kernel runs, so its "
                          "times say little of the local size: it is the fixed "
                          "64"));
}

TEST_F(Tuning, NeverLaunchesA64ThatIsNoCandidate) {
  question.candidates = std::vector<WorkSize>{{16}, {32}};
  launcher.times[{16}] = {{20, 6}};
  launcher.times[{32}] = {{20, 4}};
  AutotuneResult result = tune();
  EXPECT_TRUE(result.isOverheadBound);
  EXPECT_EQ(result.bestLocalSize, WorkSize{32});
  EXPECT_DOUBLE_EQ(result.runtimeUs, 4);
  EXPECT_EQ(launcher.log, "drain 16 16 16 16 32 32 32 32 ");
  EXPECT_THAT(result.notes,
              ElementsAre(HasSubstr("; the usual 64 is not among those")));
}

TEST_F(Tuning, Takes64InTheShapeThatFits) {
  question.globalSize = {32, 32};
  question.candidates.reset();
  for (const WorkSize &size : defaultCandidates(2, question.limits))
    launcher.times[size] = {{20, 4}};
  EXPECT_EQ(tune().bestLocalSize, (WorkSize{8, 8}));
}

TEST_F(Tuning, KeepsTheBestWhere64CannotBeLaunched) {
  for (bool fails : {false, true}) {
    question.limits.kernelItems = fails ? 256 : 32;
    if (fails)
      launcher.errors[{64}] = "CL_OUT_OF_RESOURCES";
    question.candidates = std::vector<WorkSize>{{16}, {32}};
    launcher.times[{16}] = {{20, 4}};
    launcher.times[{32}] = {{20, 6}};
    AutotuneResult result = tune();
    EXPECT_EQ(result.bestLocalSize, WorkSize{16});
    EXPECT_THAT(result.notes, ElementsAre(HasSubstr("64 is not among those")));
  }
}

TEST_F(Tuning, TakesDisturbedRunsAgain) {
  launcher.times[{64}] = {{1, 9}, {1, 50}, {1, 900}, {1, 50}, {1, 50}};
  AutotuneResult result = tune();
  EXPECT_EQ(launcher.launches[{64}], 7u);
  EXPECT_EQ(result.bestLocalSize, WorkSize{64});
  EXPECT_DOUBLE_EQ(result.runtimeUs, 50);
  EXPECT_FALSE(result.isBusy); // one disturbance is no load
}

TEST_F(Tuning, BelievesRunsThatWereCalmWhenTakenAgain) {
  question.globalSize = {64, 64};
  question.candidates.reset();
  for (const WorkSize &size : defaultCandidates(2, question.limits))
    launcher.times[size] = {{1, 9}, {1, 50}, {1, 900}, {1, 50}, {1, 50}};
  AutotuneResult result = tune();
  EXPECT_FALSE(result.isBusy);
  EXPECT_THAT(result.notes, IsEmpty());
}

/// Runs of a candidate that is disturbed whenever it is taken.
static std::vector<LaunchTimes> everDisturbed(double leastUs) {
  std::vector<LaunchTimes> times = {{1, 0}};
  for (int i = 0; i != 1 + retakes; ++i)
    times.insert(times.end(), {{1, leastUs}, {1, 9000}, {1, 9000}});
  return times;
}

TEST_F(Tuning, IsNotBusyWhereOnlyALoserStayedDisturbed) {
  question.candidates.reset();
  launcher.times[{1}] = everDisturbed(500);
  EXPECT_FALSE(tune().isBusy);
  launcher = {};
  for (uint64_t size : {1, 2})
    launcher.times[{size}] = everDisturbed(500);
  AutotuneResult result = tune();
  EXPECT_TRUE(result.isBusy); // two of nine are more than an eighth
  EXPECT_THAT(result.notes,
              ElementsAre(HasSubstr("of 9 candidates the runs of 2 were "
                                    "disturbed, of 2 also when")));
}

TEST_F(Tuning, IsBusyWhereOneThatStayedDisturbedMayBeBetter) {
  question.candidates.reset();
  launcher.times[{32}] = everDisturbed(99);
  AutotuneResult result = tune();
  EXPECT_NE(result.bestLocalSize, WorkSize{32});
  EXPECT_TRUE(result.isBusy);
}

TEST_F(Tuning, NoticesThatLaunchesWaitForOthers) {
  launcher.times[{128}] = {{1, 50}, {1, 50}, {60'000, 50}};
  AutotuneResult result = tune();
  EXPECT_EQ(launcher.launches[{128}], 1u + 3 * (1 + retakes));
  EXPECT_TRUE(result.isBusy);
  EXPECT_THAT(result.notes, ElementsAre(HasSubstr("of 1 also when")));
}

TEST_F(Tuning, DoesNotMindTheSpreadOfShortKernels) {
  for (uint64_t size : {32, 64, 128})
    launcher.times[{size}] = {{6, 1}, {6, 1}, {6, 6}, {6, 1}};
  EXPECT_FALSE(tune().isBusy);
}

TEST_F(Tuning, PairedTakesWhatIsShownToBeFaster) {
  question.isPaired = true;
  launcher.times[{32}] = {{1, 90}};
  launcher.times[{128}] = {{1, 300}};
  AutotuneResult result = tune();
  EXPECT_EQ(result.bestLocalSize, WorkSize{32});
  EXPECT_DOUBLE_EQ(result.runtimeUs, 90);
  ASSERT_TRUE(result.comparison);
  EXPECT_EQ(result.comparison->verdict, Verdict::faster);
  EXPECT_NEAR(result.comparison->speedup, 100.0 / 90, 1e-6);
  ASSERT_THAT(result.measured, SizeIs(3));
  EXPECT_EQ(result.measured[2].localSize, WorkSize{128});
  EXPECT_DOUBLE_EQ(result.measured[2].runtimeUs, 300);
  EXPECT_THAT(result.measured[2].samplesUs, IsEmpty()); // it was pruned
  auto decoded = decode<AutotuneResult>(Json::parse(Json(result).dump()));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(Json(*decoded), Json(result));
}

TEST_F(Tuning, PairedKeepsTheUsual64) {
  question.isPaired = true;
  launcher.times[{32}] = {{1, 99.9}};
  AutotuneResult result = tune();
  EXPECT_TRUE(launcher.log.starts_with("drain 64 "));
  EXPECT_EQ(result.bestLocalSize, WorkSize{64});
  EXPECT_EQ(result.comparison->verdict, Verdict::tie);
}

TEST_F(Tuning, PairedSkipsAFailingLaunch) {
  question.isPaired = true;
  launcher.times[{128}] = {{1, 50}};
  launcher.errors[{32}] = "CL_OUT_OF_RESOURCES";
  AutotuneResult result = tune();
  EXPECT_EQ(result.bestLocalSize, WorkSize{128});
  ASSERT_THAT(result.failed, SizeIs(1));
  EXPECT_EQ(result.failed[0].reason, "CL_OUT_OF_RESOURCES");
}

TEST_F(Tuning, DefaultIsTheUsual64OrTheLargestBelow) {
  auto defaultOf = [&](std::optional<std::vector<WorkSize>> candidates) {
    question.candidates = std::move(candidates);
    auto result = chooseDefaultSize(question);
    return result ? result->bestLocalSize : WorkSize();
  };
  EXPECT_EQ(defaultOf({{{32}, {64}, {128}}}), WorkSize{64});
  EXPECT_EQ(defaultOf({{{16}, {32}, {128}}}), WorkSize{32});
  EXPECT_EQ(defaultOf({{{256}, {128}}}), WorkSize{256});
  EXPECT_EQ(defaultOf({{{48}}}), WorkSize()); // does not divide 1024
  question.globalSize = {24, 4};
  EXPECT_EQ(defaultOf({}), (WorkSize{8, 4}));
  question.limits.required = {4, 2};
  EXPECT_EQ(defaultOf({}), (WorkSize{4, 2}));
}

TEST_F(Tuning, DefaultIsMarkedAndNotMeasured) {
  auto result = chooseDefaultSize(question);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->isDefault);
  EXPECT_TRUE(std::isnan(result->runtimeUs));
  EXPECT_THAT(result->measured, IsEmpty());
  EXPECT_EQ(launcher.log, "");
}

TEST(AutotuneResult, IsTheSameAfterItWasStored) {
  AutotuneResult result{.bestLocalSize = {16, 8},
                        .runtimeUs = 47.25,
                        .measured = {{{16, 8}, 47.25, {47, 47.5}}},
                        .leftOut = {{{3, 1}, "does not divide"}},
                        .failed = {{{64, 1}, "CL_OUT_OF_RESOURCES"}},
                        .isOverheadBound = true,
                        .isBusy = true,
                        .isCached = true,
                        .notes = {"a note"}};
  auto decoded = decode<AutotuneResult>(Json::parse(Json(result).dump()));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(Json(*decoded), Json(result));
  EXPECT_FALSE(decoded->isCached);
  EXPECT_FALSE(decode<AutotuneResult>(Json{{"best_local_size", "64"}}));
}

static const DeviceIdentity lockedDevice = {
    "test", "tuning-" + std::to_string(::getpid())};

/// Returns true if another process finds the device locked.
static bool isLockedForOthers() {
  pid_t child = ::fork();
  if (child == 0) {
    DeviceLockWait noWait = {.waiting = [](const std::string &) {},
                             .mostSeconds = 0};
    ::_exit(DeviceLock::acquire(lockedDevice, noWait).ok() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status != 0;
}

TEST_F(Tuning, DeviceIsLockedDuringLaunches) {
  class Checking : public FakeLauncher {
  public:
    Result<LaunchTimes> launch(const WorkSize &localSize) override {
      areLocked.push_back(isLockedForOthers());
      return FakeLauncher::launch(localSize);
    }
    std::vector<bool> areLocked;
  } checking;
  FrontendLock lock = {lockedDevice, [](const std::string &) {}};
  auto result = tuneWorkGroups(question, checking, lock);
  EXPECT_TRUE(result);
  EXPECT_FALSE(isLockedForOthers());
  EXPECT_THAT(checking.areLocked,
              testing::AllOf(SizeIs(testing::Gt(2u)), testing::Each(true)));
  ::unlink(("/tmp/tonno-test-" + lockedDevice.uuid + ".lock").c_str());
}
