//===- Tests for the micro-benchmarks of the host -------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/Device.h"

#include <gtest/gtest.h>

using namespace tonno;

TEST(HostPeaks, EachLevelOfTheMemoryHasABandwidth) {
  auto host = createDevice("host");
  ASSERT_TRUE(host.ok());
  auto peaks = (*host)->measurePeaks({});
  ASSERT_TRUE(peaks);
  ASSERT_FALSE(peaks->memory.empty());
  for (const MemoryLevel &level : peaks->memory)
    EXPECT_GT(level.bandwidth, 0) << level.name;
  EXPECT_EQ(peaks->memory.back().name, "DRAM");
  EXPECT_EQ(peaks->macs > 0, !peaks->instruction.empty());
}

TEST(HostPeaks, OnlyCoresOfTheProcessAreMeasured) {
  auto host = createDevice("host");
  ASSERT_TRUE(host.ok());
  EXPECT_FALSE((*host)->measurePeaks({.threads = 4096}));
}
