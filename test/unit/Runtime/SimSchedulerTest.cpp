//===- Threads in turns, and their orders ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimulatedKernel.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <set>

using namespace tonno;
using testing::HasSubstr;

namespace {

class SimSchedulerTest : public SimulatedKernelTest {
protected:
  /// Returns the threads of a workgroup in the order in which they began.
  std::vector<uint32_t> order(uint64_t seed) {
    std::vector<uint32_t> begun;
    EXPECT_TRUE(run([&](SimulatedThread gpu) { begun.push_back(gpu.thread()); },
                    64, seed)
                    .ok());
    return begun;
  }
};

} // namespace

TEST_F(SimSchedulerTest, EveryThreadRunsOnceAndKnowsItself) {
  std::multiset<std::array<uint32_t, 8>> seen, expected;
  auto kernel = [&](SimulatedThread gpu) {
    const SimRuntime &own = gpu.runtime;
    seen.insert({own.threadId[0], own.threadId[1], own.threadId[2],
                 own.blockId[0], own.blockId[1], own.blockId[2], own.lane,
                 own.subgroup});
    EXPECT_EQ(own.blockSize[0] * 100 + own.blockSize[1] * 10 + own.blockSize[2],
              643u);
    EXPECT_EQ(own.gridSize[0] * 100 + own.gridSize[1] * 10 + own.gridSize[2],
              325u);
  };
  ASSERT_TRUE(run(kernel, LaunchGeometry{{3, 2, 5}, {6, 4, 3}}).ok());
  for (uint32_t block = 0; block < 30; ++block)
    for (uint32_t thread = 0; thread < 72; ++thread)
      expected.insert({thread % 6, thread / 6 % 4, thread / 24, block % 3,
                       block / 3 % 2, block / 6, thread % 32, thread / 32});
  EXPECT_EQ(seen, expected);
}

TEST_F(SimSchedulerTest, SeedsDrawTheOrder) {
  EXPECT_EQ(order(1), order(1));
  std::set<std::vector<uint32_t>> orders;
  for (uint64_t seed = 0; seed < 16; ++seed)
    orders.insert(order(seed));
  EXPECT_EQ(orders.size(), 16u);
}

TEST_F(SimSchedulerTest, SeedsDrawTheOrderOfWorkgroups) {
  std::set<std::vector<uint32_t>> orders;
  for (uint64_t seed = 0; seed < 16; ++seed) {
    std::vector<uint32_t> begun;
    auto kernel = [&](SimulatedThread gpu) { begun.push_back(gpu.block()); };
    ASSERT_TRUE(run(kernel, LaunchGeometry{{101, 1, 1}, {1, 1, 1}}, seed).ok());
    EXPECT_EQ(std::set<uint32_t>(begun.begin(), begun.end()).size(), 101u);
    orders.insert(begun);
  }
  EXPECT_GT(orders.size(), 14u);
}

TEST_F(SimSchedulerTest, SubgroupsGetAheadOfOthersOrNot) {
  // Counts the subgroups without progress when the first one has ended.
  int alone = 0, together = 0;
  for (uint64_t seed = 0; seed < 32; ++seed) {
    uint32_t through[4] = {}, behind = 0;
    auto kernel = [&](SimulatedThread gpu) {
      for (int i = 0; i < 20; ++i)
        gpu.exchange(0, 0);
      if (++through[gpu.runtime.subgroup] == 32 && !behind)
        behind = static_cast<uint32_t>(std::ranges::count(through, 0u));
    };
    ASSERT_TRUE(run(kernel, 128, seed).ok());
    ++(behind == 3 ? alone : together);
  }
  EXPECT_GT(alone, 4);
  EXPECT_GT(together, 4);
}

TEST_F(SimSchedulerTest, BarriersLetNobodyPassBeforeAllAreThere) {
  for (uint64_t seed = 0; seed < 16; ++seed) {
    uint32_t arrived = 0;
    auto kernel = [&](SimulatedThread gpu) {
      for (uint32_t round = 1; round <= 5; ++round) {
        ++arrived;
        gpu.barrier();
        EXPECT_EQ(arrived, 100 * round);
        gpu.barrier();
      }
    };
    ASSERT_TRUE(run(kernel, 100, seed).ok());
  }
}

TEST_F(SimSchedulerTest, AMissingBarrierShowsUnderEverySeed) {
  // Reading what another thread writes.
  for (bool barrier : {true, false})
    for (uint64_t seed = 0; seed < 32; ++seed) {
      int wrong = 0;
      auto kernel = [&](SimulatedThread gpu) {
        gpu.shared()[gpu.thread()] = static_cast<float>(gpu.thread());
        if (barrier)
          gpu.barrier();
        float got = gpu.shared()[63 - gpu.thread()];
        wrong += got != static_cast<float>(63 - gpu.thread());
      };
      ASSERT_TRUE(run(kernel, 64, seed).ok());
      EXPECT_EQ(wrong > 0, !barrier) << seed;
    }
}

TEST_F(SimSchedulerTest, AMissingSecondBarrierShowsUnderEverySeed) {
  // Writing what another thread still reads.
  for (bool barrier : {true, false})
    for (uint64_t seed = 0; seed < 32; ++seed) {
      int wrong = 0;
      auto kernel = [&](SimulatedThread gpu) {
        for (uint32_t round = 0; round < 2; ++round) {
          gpu.shared()[gpu.thread()] =
              static_cast<float>(100 * round + gpu.thread());
          gpu.barrier();
          float got = gpu.shared()[63 - gpu.thread()];
          wrong += got != static_cast<float>(100 * round + 63 - gpu.thread());
          if (barrier)
            gpu.barrier();
        }
      };
      ASSERT_TRUE(run(kernel, 64, seed).ok());
      EXPECT_EQ(wrong > 0, !barrier) << seed;
    }
}

TEST_F(SimSchedulerTest, RegistersAndStacksAreEachThreadsOwn) {
  auto kernel = [&](SimulatedThread gpu) {
    double sums[8] = {};
    volatile int marks[64];
    for (int i = 0; i < 64; ++i)
      marks[i] = static_cast<int>(gpu.thread()) + i;
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 8; ++i)
        sums[i] += gpu.thread() * (i + 1) + round;
      gpu.barrier();
    }
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(sums[i], 3.0 * gpu.thread() * (i + 1) + 3);
    for (int i = 0; i < 64; ++i)
      EXPECT_EQ(marks[i], static_cast<int>(gpu.thread()) + i);
  };
  ASSERT_TRUE(run(kernel, 1024).ok());
  ASSERT_TRUE(run(kernel, 7).ok());
}

TEST_F(SimSchedulerTest, AFaultLeavesNothingBehind) {
  auto stuck = [](SimulatedThread gpu) {
    if (gpu.thread() % 2)
      gpu.barrier();
  };
  EXPECT_EQ(failure(stuck, 64).status, Status::fault);
  ASSERT_TRUE(run([](SimulatedThread gpu) { gpu.barrier(); }, 64).ok());
}

TEST_F(SimSchedulerTest, ThreadsThatDoOtherThingsAtOnePlaceDoNotMeet) {
  // A ballot's results would go where an exchange has room for one.
  auto failed = failure(
      [](SimulatedThread gpu) {
        gpu.meet("a place", gpu.thread() ? SimCollective::exchange
                                         : SimCollective::ballot);
      },
      2);
  EXPECT_EQ(failed.status, Status::fault);
  EXPECT_THAT(failed.message, HasSubstr("waits at a place"));
}

TEST_F(SimSchedulerTest, RefusesWhatNoGPULaunches) {
  auto refusal = [&](LaunchGeometry geometry) {
    auto ran = run([](SimulatedThread) { ADD_FAILURE(); }, geometry);
    EXPECT_FALSE(ran.ok());
    EXPECT_EQ(ran.error().status, Status::unlaunchable);
    return ran.error().message;
  };
  EXPECT_THAT(refusal({{1, 1, 1}, {1025, 1, 1}}), HasSubstr("1024 threads"));
  EXPECT_THAT(refusal({{1, 1, 1}, {32, 33, 1}}), HasSubstr("1024 threads"));
  EXPECT_THAT(refusal({{1, 1, 1}, {1u << 31, 1u << 31, 4}}),
              HasSubstr("1024 threads"));
  EXPECT_THAT(refusal({{1, 1, 1}, {32, 0, 1}}), HasSubstr("no threads"));
  EXPECT_THAT(refusal({{1, 0, 1}, {32, 1, 1}}), HasSubstr("no threads"));
  // Modulo 2^64 that is none, by which nothing can be divided.
  EXPECT_THAT(refusal({{4, 1u << 31, 1u << 31}, {32, 1, 1}}),
              HasSubstr("more workgroups than"));
  EXPECT_THAT(
      refusal({{1, 1, 1}, {32, 1, 1}, 4097}),
      HasSubstr("4097 bytes of shared memory, but its object has 4096"));
}

TEST_F(SimSchedulerTest, TellsAMDsKernelsOfTheLaunch) {
  auto kernel = [](SimulatedThread gpu) {
    auto read = [](const uint8_t *memory, size_t bytes) {
      uint32_t value = 0;
      std::memcpy(&value, memory, bytes);
      return value;
    };
    const SimRuntime &own = gpu.runtime;
    EXPECT_EQ(read(own.implicitArguments + 4, 4), 7u);
    EXPECT_EQ(read(own.implicitArguments + 14, 2), 4u);
    EXPECT_EQ(read(own.dispatchPacket + 6, 2), 4u);
    EXPECT_EQ(read(own.dispatchPacket + 16, 4), 28u);
  };
  ASSERT_TRUE(run(kernel, LaunchGeometry{{3, 7, 1}, {16, 4, 1}}).ok());
}

using SimSchedulerDeathTest = SimSchedulerTest;

TEST_F(SimSchedulerDeathTest, AnOverflowOfTheStackEndsTheProcess) {
  auto kernel = [](SimulatedThread gpu) {
    std::function<int(int)> deep = [&](int depth) -> int {
      volatile char frame[1024] = {};
      frame[depth % 1024] = 1;
      return depth ? deep(depth - 1) + frame[depth % 1024] : 0;
    };
    deep(1000);
  };
  EXPECT_DEATH((void)run(kernel, 2), "");
}
