//===- Threads that share a launch ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Process/Subprocess.h"
#include "tonno/Runtime/HostDevice.h"

#include <atomic>
#include <filesystem>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>
#include <vector>

using namespace tonno;

TEST(HostThreads, DoEachWorkgroupOnce) {
  for (unsigned count : {1, 2, 3, 7})
    for (uint32_t workgroups : {0, 1, 2, 1000}) {
      std::vector<std::atomic<int>> calls(workgroups);
      HostThreads::onAllowedCores(count).run(
          workgroups, [&](uint32_t workgroup) { ++calls[workgroup]; });
      for (const std::atomic<int> &call : calls)
        EXPECT_EQ(call, 1) << count << " threads";
    }
}

TEST(HostThreads, WorkAtTheSameTimeAndEnd) {
  auto running = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                         std::filesystem::directory_iterator());
  };
  std::thread([] {}).join(); // the first brings ThreadSanitizer's own
  auto before = running();
  constexpr unsigned count = 5;
  std::atomic<unsigned> arrived = 0;
  HostThreads::onAllowedCores(count).run(count, [&](uint32_t) {
    ++arrived;
    for (Deadline late = inSeconds(60); arrived < count && Clock::now() < late;)
      std::this_thread::yield();
  });
  EXPECT_EQ(arrived, count);
  // A thread that was joined is listed until the kernel has let go of it.
  for (Deadline late = inSeconds(60);
       running() > before && Clock::now() < late;)
    std::this_thread::yield();
  EXPECT_EQ(running(), before);
}

TEST(HostThreads, WithoutOthersTheCallerWorks) {
  auto caller = std::this_thread::get_id();
  HostThreads().run(
      10, [&](uint32_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
  EXPECT_EQ(HostThreads().size(), 1u);
}

// The reference's threads behave so in a runner that is pinned to its timing
// core.
TEST(HostThreads, RunOnTheCoresOfTheirTime) {
  HostThreads threads = HostThreads::onAllowedCores();
  if (threads.size() < 2)
    GTEST_SKIP() << "this process has a single core";
  std::mutex mutex;
  std::vector<int> cores;
  std::thread pinned([&] {
    ASSERT_TRUE(pinToTimingCore().ok());
    std::atomic<unsigned> arrived = 0;
    threads.run(threads.size(), [&](uint32_t) {
      ++arrived;
      Deadline late = inSeconds(60);
      while (arrived < threads.size() && Clock::now() < late)
        std::this_thread::yield();
      cpu_set_t set;
      ASSERT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
      std::lock_guard lock(mutex);
      cores.push_back(CPU_COUNT(&set));
    });
  });
  pinned.join();
  std::vector<int> expected(threads.size(), int(threads.size()));
  expected.front() = 1; // the caller's
  std::sort(cores.begin(), cores.end());
  EXPECT_EQ(cores, expected);
}
