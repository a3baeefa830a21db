//===- Tests for the report of busy processes -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/Environment.h"

#include "TemporaryDirectory.h"

#include <gmock/gmock.h>

#include <atomic>
#include <fstream>
#include <thread>

using namespace tonno;
using testing::HasSubstr;
using testing::StartsWith;

namespace {
/// Processes whose ticks rise as the test says, as /proc shows them.
class BusiestProcessesTest : public testing::Test {
protected:
  void write(int pid, const std::string &name, unsigned ticks,
             pid_t parent = 1) {
    std::filesystem::path process = proc / std::to_string(pid);
    std::filesystem::create_directories(process);
    // Replaced as a whole: it is being read.
    std::ofstream(process / "new")
        << pid << " (" << name << ") R " << parent << " 2 3 4 5 6 7 8 9 10 "
        << ticks << " 0 0 0\n";
    std::filesystem::rename(process / "new", process / "stat");
  }

  TemporaryDirectory directory;
  std::filesystem::path proc = directory / "proc";
};
} // namespace

TEST_F(BusiestProcessesTest, NamesThoseThatUseMost) {
  write(11, "a (strange) name", 100);
  write(13, "worker", 100, ::getpid());
  write(14, "compiler", 100, 13);
  write(12, "idle", 100);
  std::atomic<bool> hasEnded = false;
  std::thread busy([&] {
    for (unsigned ticks = 100; !hasEnded; ticks += 50) {
      write(11, "a (strange) name", ticks);
      write(14, "compiler", ticks, 13);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  std::string text = busiestProcesses(proc);
  hasEnded = true;
  busy.join();
  EXPECT_THAT(text, StartsWith("a (strange) name (pid 11) "));
  EXPECT_THAT(text, HasSubstr(" % of a core"));
  EXPECT_THAT(text, testing::Not(HasSubstr("idle")));
  EXPECT_THAT(text, testing::Not(HasSubstr("compiler"))); // of this process
}

TEST_F(BusiestProcessesTest, IsSilentWhereNobodyIsBusy) {
  write(12, "idle", 100);
  std::filesystem::create_directories(proc / "13"); // which has just ended
  EXPECT_EQ(busiestProcesses(proc), "");
  EXPECT_EQ(busiestProcesses(proc / "none"), "");
}

TEST_F(BusiestProcessesTest, ReadsTheSystems) {
  // This process is not reported.
  EXPECT_THAT(busiestProcesses(),
              testing::Not(HasSubstr("pid " + std::to_string(::getpid()))));
}
