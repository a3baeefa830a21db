//===- Launches of several threads ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Host/ThreadTeam.h"
#include "tonno/Runtime/HostDevice.h"
#include "tonno/Runtime/RunnerProcess.h"

#include "Eventually.h"
#include "Host/Confinement.h"
#include "Processes.h"
#include "Sanitized.h"
#include "TestKernels.h"

#include <dlfcn.h>
#include <filesystem>
#include <gmock/gmock.h>
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

/// OpenMP's runtime, which a ThreadTeam has loaded.
class LoadedOpenMp {
public:
  LoadedOpenMp() : library(::dlopen("libomp.so.5", RTLD_NOW | RTLD_NOLOAD)) {}
  ~LoadedOpenMp() { ::dlclose(library); }
  LoadedOpenMp(const LoadedOpenMp &) = delete;
  LoadedOpenMp &operator=(const LoadedOpenMp &) = delete;

  /// Makes two idle threads spin for ten minutes.
  void letSpin() const {
    find<void(int)>("kmp_set_blocktime")(10 * 60 * 1000); // in ms
    find<void(void (*)(void *), void *, unsigned, unsigned)>("GOMP_parallel")(
        [](void *) {}, nullptr, 2, 0);
  }

private:
  template <typename Function> Function *find(const char *name) const {
    return reinterpret_cast<Function *>(::dlsym(library, name));
  }

  void *library;
};

/// Returns the threads of this process but the caller's.
std::vector<pid_t> otherThreads() {
  std::vector<pid_t> threads;
  for (const auto &task :
       std::filesystem::directory_iterator("/proc/self/task"))
    if (pid_t id = std::stoi(task.path().filename()); id != ::gettid())
      threads.push_back(id);
  return threads;
}

/// Nanoseconds that a thread of this process has run.
uint64_t runTimeOf(pid_t thread) {
  return ScheduleSource::system().threads(::getpid())[thread].ran;
}

/// Waits until a joined thread is listed no longer: the kernel takes a moment.
bool threadsBecome(size_t count) {
  return eventually([count] { return countThreads() == count; });
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
  EXPECT_TRUE(threadsBecome(before));
  EXPECT_EQ(launch(**other), std::vector<float>(1024, 42)); // it has a new one
  other->reset();
  EXPECT_TRUE(threadsBecome(before));
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

/// A killed process would leave shared memory behind.
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
  LoadedOpenMp openMp;
  std::vector<int> cores = coresForThreads();
  const std::vector<pid_t> others = otherThreads(); // of earlier tests
  for (int i = 0; i < 5; ++i) {
    std::vector<pid_t> threads;
    {
      auto gathered = GatheredTeam::gather(**team, std::span(cores).first(2));
      ASSERT_TRUE(gathered.ok());
      // Behind a kernel it spins; here, for longer than this test waits.
      openMp.letSpin();
      threads = otherThreads();
      std::erase_if(threads, [&](pid_t thread) {
        return std::ranges::find(others, thread) != others.end();
      });
      ASSERT_EQ(threads.size(), 1u);
      uint64_t before = runTimeOf(threads[0]);
      constexpr uint64_t aMillisecond = 1000000;
      EXPECT_TRUE(eventually(
          [&] { return runTimeOf(threads[0]) > before + aMillisecond; }));
      EXPECT_EQ(stateOf(threads[0]), 'R');
    }
    ASSERT_TRUE(eventually([&] { return stateOf(threads[0]) == 'S'; }));
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
            "the kernel has 1024 threads, and this process may use " +
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
