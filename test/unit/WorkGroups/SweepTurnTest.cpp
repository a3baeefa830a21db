//===- SweepTurnTest.cpp - One sweep of a question at a time --------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/WorkGroups/SweepTurn.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

using namespace tonno;

TEST(SweepTurn, IsHeldByOneThreadForEachKey) {
  std::atomic<int> inside = 0, most = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i != 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k != 50; ++k) {
        SweepTurn turn("one");
        most = std::max(most.load(), ++inside);
        std::this_thread::yield();
        --inside;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(most, 1);
}

TEST(SweepTurn, DoesNotWaitForOtherKeys) {
  SweepTurn one("one");
  SweepTurn another("another");
}
