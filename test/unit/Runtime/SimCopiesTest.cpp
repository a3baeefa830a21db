//===- Asynchronous copies of simulated threads ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimulatedKernel.h"

#include <cmath>
#include <gmock/gmock.h>

using namespace tonno;

namespace {

class SimCopiesTest : public SimulatedKernelTest {
protected:
  void copy(SimulatedThread gpu, uint32_t to, float value, uint32_t read = 4) {
    source[to] = value;
    gpu.runtime.copyAsync(&gpu.runtime, gpu.shared() + to, &source[to], 4,
                          read);
  }
  static void commit(SimulatedThread gpu) {
    gpu.runtime.commitCopies(&gpu.runtime);
  }
  static void await(SimulatedThread gpu, uint32_t groups) {
    gpu.runtime.awaitCopies(&gpu.runtime, groups);
  }

  float source[16] = {};
};

} // namespace

TEST_F(SimCopiesTest, WhatIsAwaitedIsThere) {
  for (uint64_t seed = 0; seed < 32; ++seed)
    ASSERT_TRUE(run(
                    [&](SimulatedThread gpu) {
                      copy(gpu, 0, 1);
                      copy(gpu, 1, 2);
                      commit(gpu);
                      copy(gpu, 2, 3);
                      commit(gpu);
                      await(gpu, 1);
                      EXPECT_EQ(gpu.shared()[0], 1);
                      EXPECT_EQ(gpu.shared()[1], 2);
                      commit(gpu); // an empty group counts
                      await(gpu, 1);
                      EXPECT_EQ(gpu.shared()[2], 3);
                    },
                    1, seed)
                    .ok());
}

/// Too early for who still reads what was there, too late for who does not
/// wait: both must happen, and something between.
TEST_F(SimCopiesTest, WhatIsNotAwaitedMayBeThere) {
  int atOnce = 0, later = 0, never = 0;
  for (uint64_t seed = 0; seed < 64; ++seed)
    ASSERT_TRUE(run(
                    [&](SimulatedThread gpu) {
                      copy(gpu, 0, 1);
                      bool begins = gpu.shared()[0] == 1;
                      for (int i = 0; i < 40; ++i)
                        gpu.exchange(0, 0);
                      bool ends = gpu.shared()[0] == 1;
                      ++(begins ? atOnce : ends ? later : never);
                    },
                    1, seed)
                    .ok());
  EXPECT_GT(atOnce, 8);
  EXPECT_GT(later, 8);
  EXPECT_GT(never, 8);
}

TEST_F(SimCopiesTest, WhatIsNotReadIsZero) {
  ASSERT_TRUE(run(
                  [&](SimulatedThread gpu) {
                    EXPECT_TRUE(std::isnan(gpu.shared()[5]));
                    copy(gpu, 5, 1, 0);
                    commit(gpu);
                    await(gpu, 0);
                    EXPECT_EQ(gpu.shared()[5], 0);
                  },
                  1)
                  .ok());
}

TEST_F(SimCopiesTest, ThreadsHaveGroupsOfTheirOwn) {
  for (uint64_t seed = 0; seed < 32; ++seed)
    ASSERT_TRUE(run(
                    [&](SimulatedThread gpu) {
                      copy(gpu, gpu.thread(), 7);
                      commit(gpu);
                      if (gpu.thread() == 0)
                        await(gpu, 0);
                      gpu.barrier();
                      EXPECT_EQ(gpu.shared()[0], 7);
                      await(gpu, 0);
                      gpu.barrier();
                      EXPECT_EQ(gpu.shared()[1], 7);
                    },
                    2, seed)
                    .ok());
}
