//===- ThreadTeamTest.cpp - Launches of several threads -------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Host/ThreadTeam.h"
#include "tonno/Runtime/HostDevice.h"
#include "tonno/Runtime/RunnerProcess.h"

#include "Host/HostCores.h"
#include "Host/ProcessInventory.h"
#include "Sanitized.h"
#include "TestKernels.h"

#include <chrono>
#include <ctime>
#include <filesystem>
#include <gmock/gmock.h>
#include <thread>
#include <unistd.h>

using namespace tonno;
using testing::HasSubstr;

namespace {

Artifact teamArtifact(const std::string &way) {
  Artifact artifact = kernelArtifact(way);
  artifact.plan.launches[0].threads = 2;
  return artifact;
}

class ThreadTeamTest : public testing::Test {
protected:
  void SetUp() override {
    if (allowedCores().size() < 2)
      GTEST_SKIP() << "one core only";
    if (seesLibrariesRace)
      GTEST_SKIP() << "OpenMP's runtime is not instrumented";
  }

  std::vector<float> launch(Executable &executable) {
    std::vector<float> from(1024, 21), to(1024);
    std::vector<DevicePointer> buffers = {{from.data()}, {to.data()}};
    auto launched = device->launch(executable, buffers);
    EXPECT_TRUE(launched.ok()) << launched.error().message;
    return to;
  }

  std::unique_ptr<Device> device = std::move(*HostDevice::create());
};

double processSeconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) * 1e-9;
}

} // namespace

TEST_F(ThreadTeamTest, EachThreadHasACoreOfItsOwn) {
  std::vector<int> before = allowedCores();
  std::vector<int> cores = coresForThreads();
  auto executable = device->load(teamArtifact("team_tells"));
  ASSERT_TRUE(executable.ok()) << executable.error().message;
  for (int i = 0; i < 5; ++i) {
    std::vector<float> to = launch(**executable);
    for (size_t thread : {0, 1}) {
      EXPECT_EQ(to[thread], static_cast<float>(cores[thread]));
      EXPECT_EQ(to[2 + thread], 1);
    }
    EXPECT_EQ(to[4], 42);
    EXPECT_EQ(to[1023], 42);
    EXPECT_EQ(allowedCores(), before);
  }
}

TEST_F(ThreadTeamTest, FirstIsTheCoreThatTimes) {
  std::vector<int> cores = coresForThreads();
  EXPECT_EQ(cores.front(), allowedCores().back());
  EXPECT_THAT(cores, testing::UnorderedElementsAreArray(allowedCores()));
}

TEST_F(ThreadTeamTest, EndsWithTheExecutable) {
  size_t before = countThreads();
  auto executable = device->load(teamArtifact("team"));
  auto other = device->load(teamArtifact("team"));
  ASSERT_TRUE(executable.ok());
  ASSERT_TRUE(other.ok());
  launch(**executable);
  EXPECT_EQ(countThreads(), before + 1);
  executable->reset();
  EXPECT_EQ(countThreads(), before);
  EXPECT_EQ(launch(**other), std::vector<float>(1024, 42)); // it has a new one
  other->reset();
  EXPECT_EQ(countThreads(), before);
}

TEST_F(ThreadTeamTest, LeavesTheCallerOnItsCore) {
  std::vector<int> all = allowedCores();
  ASSERT_TRUE(pinToTimingCore().ok());
  std::vector<int> pinned = {all.back()};
  auto executable = device->load(teamArtifact("team"));
  ASSERT_TRUE(executable.ok());
  launch(**executable);
  EXPECT_EQ(allowedCores(), pinned);
  executable->reset();
  EXPECT_EQ(allowedCores(), pinned);
  ASSERT_TRUE(useCores(all).ok());
}

/// As a process that is killed would leave it behind.
TEST_F(ThreadTeamTest, KeepsNothingInSharedMemory) {
  auto executable = device->load(teamArtifact("team"));
  ASSERT_TRUE(executable.ok());
  launch(**executable);
  std::string own = "_" + std::to_string(::getpid()) + "_";
  for (const auto &entry : std::filesystem::directory_iterator("/dev/shm"))
    EXPECT_EQ(entry.path().string().find(own), std::string::npos)
        << entry.path();
}

TEST_F(ThreadTeamTest, SleepsWhileNothingIsLaunched) {
  auto team = ThreadTeam::ofProcess();
  ASSERT_TRUE(team.ok());
  std::vector<int> cores = coresForThreads();
  for (int i = 0; i < 5; ++i) {
    {
      auto gathered = GatheredTeam::gather(**team, std::span(cores).first(2));
      ASSERT_TRUE(gathered.ok());
      // Now it spins, as it does behind a kernel.
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    double before = processSeconds();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_LT(processSeconds() - before, 0.05); // 0.1 where one spins
  }
  (*team)->end();
}

TEST_F(ThreadTeamTest, IsTimedAsAWhole) {
  auto executable = device->load(teamArtifact("team"));
  ASSERT_TRUE(executable.ok());
  std::vector<float> from(1024, 21), to(1024);
  std::vector<std::vector<DevicePointer>> batch(3,
                                                {{from.data()}, {to.data()}});
  auto seconds = device->time(**executable, batch);
  ASSERT_TRUE(seconds.ok());
  EXPECT_GT(*seconds, 0);
  EXPECT_EQ(to, std::vector<float>(1024, 42));
  EXPECT_TRUE(device->stolenSeconds().has_value());
}

TEST_F(ThreadTeamTest, NeedsACoreForEachThread) {
  Artifact artifact = teamArtifact("team");
  artifact.plan.launches[0].threads = 1024;
  auto executable = device->load(artifact);
  ASSERT_FALSE(executable.ok());
  EXPECT_EQ(executable.error().status, Status::unlaunchable);
  EXPECT_EQ(executable.error().message,
            "it has 1024 threads, and this process may use " +
                std::to_string(allowedCores().size()) + " cores");
}

TEST_F(ThreadTeamTest, SharesNoWorkgroups) {
  Artifact artifact = teamArtifact("team");
  artifact.plan.launches[0].geometry.grid = {2, 1, 1};
  EXPECT_EQ(device->load(artifact).error().status, Status::load_error);
}

TEST_F(ThreadTeamTest, SaysWhatToInstall) {
  auto missing = ThreadTeam::load("libnowhere.so.5");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().status, Status::load_error);
  EXPECT_THAT(
      missing.error().message,
      testing::AllOf(HasSubstr("libomp-22-dev"), HasSubstr("libnowhere.so.5")));
  auto other = ThreadTeam::load("libm.so.6");
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(other.error().message, HasSubstr("older than OpenMP 5"));
}

TEST_F(ThreadTeamTest, WhatTheEnvironmentSaysOfThreadsIsNotForCandidates) {
  ::setenv("OMP_THREAD_LIMIT", "1", 1);
  ::setenv("OMPER", "stays", 1);
  EXPECT_FALSE(ThreadTeam::load("libnowhere.so.5").ok());
  EXPECT_EQ(::getenv("OMP_THREAD_LIMIT"), nullptr);
  EXPECT_STREQ(::getenv("OMPER"), "stays");
  ::unsetenv("OMPER");
}
