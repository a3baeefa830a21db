//===- Tests for state left behind by candidates --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/HostDevice.h"
#include "tonno/Runtime/RunnerProcess.h"

#include "Leftovers.h"
#include "Sanitized.h"
#include "TestKernels.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <thread>

using namespace tonno;
using testing::AllOf;
using testing::HasSubstr;

namespace {

/// A runner whose processes are counted.
class LeftBehindTest : public testing::Test {
protected:
  void SetUp() override { open(); }

  void open() {
    auto opened = runner.open(doublingSession());
    ASSERT_TRUE(opened.ok()) << opened.error().message;
  }
  RunResult run(const std::string &way) {
    return runner.run(doublingRequest(way));
  }
  size_t processes() const { return std::filesystem::file_size(started) / 2; }

  TemporaryDirectory directory;
  std::filesystem::path started = directory / "started";
  Leftovers leftovers;                // the runner goes before it
  RunnerLimits limits = {60, 60, 60}; ///< that only end what would hang
  /// Has so few descriptors that one candidate could exhaust them.
  RunnerProcess runner = RunnerProcess(
      {"sh", "-c",
       "ulimit -n 64; echo x >> " + started.string() + "; exec " RUNNER},
      limits);
};

class EachLeftBehindTest : public LeftBehindTest,
                           public testing::WithParamInterface<const char *> {};

} // namespace

INSTANTIATE_TEST_SUITE_P(All, EachLeftBehindTest,
                         testing::Values("stays_loaded", "leaks_descriptors",
                                         "closes_descriptors",
                                         "lowers_its_priority", "moves",
                                         "sets_a_variable", "leaves_a_thread",
                                         "leaves_a_timer"),
                         [](const testing::TestParamInfo<const char *> &info) {
                           return std::string(info.param);
                         });

TEST_P(EachLeftBehindTest, IsGoneForTheNextOne) {
  EXPECT_EQ(run("ok").status, Status::ok);
  size_t before = processes();
  RunResult result = run(GetParam());
  EXPECT_EQ(result.status, Status::ok) << result.message;
  EXPECT_EQ(processes(), before);
  RunResult next = run("ok");
  EXPECT_EQ(next.status, Status::ok) << next.message;
  EXPECT_EQ(processes(), before + 1);
}

TEST_F(LeftBehindTest, ChangedLimitsAreTheCandidatesFault) {
  const std::pair<const char *, const char *> ways[] = {
      {"lowers_a_limit", "RLIMIT_STACK"},
      {"lowers_the_memory_limit", "RLIMIT_AS"},
      {"forbids_descriptors", "RLIMIT_NOFILE"},
      {"forbids_descriptors_timed", "RLIMIT_NOFILE"},
      {"forbids_files", "RLIMIT_FSIZE"}};
  for (const auto &[way, limit] : ways) {
    if (std::string_view(limit) == "RLIMIT_AS" && isSanitized)
      continue; // it needs address space for itself
    RunResult result = run(way);
    EXPECT_EQ(result.status, Status::fault) << way << ": " << result.message;
    EXPECT_THAT(result.message, HasSubstr(limit));
    RunResult next = run("ok");
    EXPECT_EQ(next.status, Status::ok) << way << ": " << next.message;
  }
}

TEST_F(LeftBehindTest, WhatARunnerLacksAfterACandidateIsTheCandidatesFault) {
  RunResult result = run("takes_all_descriptors");
  EXPECT_EQ(result.status, Status::fault) << result.message;
  EXPECT_THAT(result.message, AllOf(HasSubstr("changes descriptors"),
                                    HasSubstr("Too many open files")));
  RunResult next = run("ok");
  EXPECT_EQ(next.status, Status::ok) << next.message;
}

TEST_F(LeftBehindTest, WhoeverLeavesNothingSharesTheProcess) {
  size_t before = processes();
  for (const char *way : {"ok", "wrong", "minds_inputs", "other_symbol",
                          "leaves_settings", "rounds_otherwise", "ok"})
    run(way);
  EXPECT_EQ(processes(), before);
}

TEST_F(LeftBehindTest, TeamsAreEndedAndSoLeaveNothing) {
  if (std::thread::hardware_concurrency() < 2)
    GTEST_SKIP() << "one core only";
  if (seesLibrariesRace)
    GTEST_SKIP() << "OpenMP's runtime is not instrumented";
  size_t before = processes();
  auto runTeam = [&](const std::string &way) {
    RunRequest request = doublingRequest(way);
    request.candidate.plan.launches[0].threads = 2;
    request.acceptContended = true; // two threads see every other process
    return runner.run(request);
  };
  for (int i = 0; i < 3; ++i) {
    RunResult result = runTeam("team");
    EXPECT_EQ(result.status, Status::ok) << result.message;
    EXPECT_EQ(run("ok").status, Status::ok);
  }
  EXPECT_EQ(processes(), before);
  // A thread outside of the team makes the runner restart.
  EXPECT_EQ(runTeam("team_leaves_a_thread").status, Status::ok);
  EXPECT_EQ(run("ok").status, Status::ok);
  EXPECT_EQ(processes(), before + 1);
}

TEST_F(LeftBehindTest, CodeThatStaysIsNotTheNextOnes) {
  EXPECT_EQ(run("stays_loaded").status, Status::ok);
  EXPECT_EQ(run("wrong").status, Status::wrong);
}

TEST(LoadedCode, IsWhatWasAskedForWhereOtherCodeStays) {
  auto device = HostDevice::create();
  ASSERT_TRUE(device.ok());
  auto last = [&](const std::string &way) {
    std::vector<float> from(1024, 1), to(1024);
    std::vector<DevicePointer> buffers = {{from.data(), 0}, {to.data(), 0}};
    auto executable = (*device)->load(kernelArtifact(way));
    EXPECT_TRUE(executable.ok());
    EXPECT_TRUE((*device)->launch(**executable, buffers).ok());
    return to.back();
  };
  EXPECT_EQ(last("stays_loaded"), 2);
  EXPECT_EQ(last("wrong"), 3);
}

TEST(LoadedCode, WithoutDescriptorsItIsNotTheBinarysFault) {
  auto load = [] {
    auto device = HostDevice::create();
    Artifact artifact = kernelArtifact("ok");
    rlimit none = {3, 3};
    ::setrlimit(RLIMIT_NOFILE, &none);
    auto executable = (*device)->load(artifact);
    if (!executable)
      std::cerr << toString(executable.error().status);
    ::_exit(executable.ok());
  };
  EXPECT_EXIT(load(), testing::ExitedWithCode(0), "lost");
}

TEST_F(LeftBehindTest, InputsAreWhatTheyWere) {
  EXPECT_EQ(run("minds_inputs").status, Status::ok);
  RunResult spoiling = run("spoils_inputs");
  EXPECT_EQ(spoiling.status, Status::out_of_bounds);
  EXPECT_THAT(spoiling.message,
              HasSubstr("into its input arg0 while it was timed"));
  EXPECT_FALSE(spoiling.measurement.has_value());
  for (int i = 0; i < 3; ++i) {
    RunResult next = run("minds_inputs");
    EXPECT_EQ(next.status, Status::ok) << next.message;
  }
}

TEST_F(LeftBehindTest, MemoryThatWasMissingOnceIsNoCrashForLackOfIt) {
  RunResult result = run("copes_without_memory");
  EXPECT_EQ(result.status, Status::fault) << result.message;
}

TEST_F(LeftBehindTest, SignalsFromOutsideAreNoFaultOfTheCandidate) {
  for (const char *way : {"is_terminated_once", "is_killed_once"}) {
    std::string once = directory / way;
    ::setenv("TONNO_TEST_ONCE", once.c_str(), 1);
    open(); // a process that knows of the file
    RunResult result = run(way);
    EXPECT_EQ(result.status, Status::ok) << way << ": " << result.message;
  }
  ::unsetenv("TONNO_TEST_ONCE");
}

TEST_F(LeftBehindTest, ReferenceWhoseRunnerIsKilledRunsAgain) {
  RunnerSession session = doublingSession();
  session.problem.reference = kernelArtifact("reference_killed");
  session.problem.reference.plan = doublingPlan(ElementType::f64);
  std::string once = directory / "once";
  ::setenv("TONNO_TEST_ONCE", once.c_str(), 1);
  size_t before = processes();
  auto opened = runner.open(session);
  EXPECT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_EQ(processes(), before + 2);
  EXPECT_EQ(run("ok").status, Status::ok);
  // The same holds after a candidate has ended the process.
  EXPECT_EQ(run("segfault").status, Status::fault);
  std::filesystem::remove(once);
  RunResult next = run("ok");
  EXPECT_EQ(next.status, Status::ok) << next.message;
  // Attempts are limited.
  ::unsetenv("TONNO_TEST_ONCE");
  before = processes();
  opened = runner.open(session);
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message,
              AllOf(HasSubstr("while running the reference"),
                    HasSubstr("signal 9"),
                    HasSubstr("check that there is enough memory")));
  EXPECT_EQ(processes(), before + 2);
}

TEST_F(LeftBehindTest, SignalsThatComeAgainAreTheCandidatesFault) {
  const std::pair<const char *, const char *> ways[] = {
      {"is_terminated", "signal 15"}, {"is_hung_up", "signal 1 "},
      {"is_signalled", "signal 10"},  {"is_interrupted", "signal 2 "},
      {"is_alarmed", "signal 14"},    {"ends_its_group", "signal 15"}};
  for (const auto &[way, signal] : ways) {
    size_t before = processes();
    RunResult result = run(way);
    EXPECT_EQ(result.status, Status::fault) << way << ": " << result.message;
    EXPECT_THAT(result.message, HasSubstr(signal));
    EXPECT_LE(processes(), before + 2) << "tried once again";
  }
}

TEST_F(LeftBehindTest, SignalsBehindAWaitForTheDeviceAreTheCandidatesFault) {
  std::optional<DeviceLock> held;
  bool hasWaited = false;
  RunnerProcess waiting({RUNNER}, limits,
                        {[] { return false; },
                         [&](const std::string &) {
                           hasWaited = true;
                           held.reset();
                         }});
  ASSERT_TRUE(waiting.open(doublingSession()).ok());
  DeviceLockWait wait;
  wait.waiting = [](const std::string &) {};
  hasWaited = false;
  auto lock = DeviceLock::acquire(waiting.device()->identity(), wait);
  ASSERT_TRUE(lock.ok());
  held.emplace(std::move(*lock));
  RunResult result = waiting.run(doublingRequest("is_terminated"));
  EXPECT_TRUE(hasWaited);
  EXPECT_EQ(result.status, Status::fault) << result.message;
}
