//===- Tests for the serialization of sweeps ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/WorkGroups/SweepTurn.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
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
  std::future<void> taken; // destroyed after `one`, so a failure cannot hang
  SweepTurn one("one");
  taken = std::async(std::launch::async, [] { SweepTurn another("another"); });
  // The limit only ends a deadlock: the turn of "one" is held all the while.
  EXPECT_EQ(taken.wait_for(std::chrono::seconds(60)),
            std::future_status::ready);
}

TEST(SweepTurn, WaitsForItsOwnKey) {
  std::future<bool> wasOver;
  std::atomic<bool> isOver = false;
  {
    SweepTurn one("one");
    wasOver = std::async(std::launch::async, [&] {
      SweepTurn same("one");
      return isOver.load();
    });
    std::this_thread::yield();
    isOver = true;
  }
  EXPECT_TRUE(wasOver.get());
}
