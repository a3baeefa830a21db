//===- Tests for the limit of a device ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/DevicePeaks.h"

#include <gtest/gtest.h>

using namespace tonno;

static DevicePeaks makePeaks() {
  DevicePeaks peaks;
  peaks.query.threads = 2;
  peaks.macs = 1e9;
  peaks.instruction = "fma";
  peaks.memory = {{"L1", 1000, 8e9}, {"L2", 100000, 4e9}, {"DRAM", 0, 1e9}};
  return peaks;
}

static KernelWork makeWork(uint64_t macs, uint64_t bytes) {
  KernelWork work;
  work.macs = macs;
  work.bytesRead = bytes;
  return work;
}

TEST(DevicePeaks, TheSlowerOfMultiplyAddsAndMemoryIsTheLimit) {
  auto limit =
      computeRooflineLimit(makeWork(4000, 1000), makePeaks(), CacheState::cold);
  ASSERT_TRUE(limit);
  EXPECT_EQ(limit->name, "fma");
  EXPECT_FALSE(limit->isMemory);
  EXPECT_DOUBLE_EQ(limit->seconds, 4e-6);
  EXPECT_DOUBLE_EQ(limit->rate, 2e9); // operations
  limit =
      computeRooflineLimit(makeWork(4000, 8000), makePeaks(), CacheState::cold);
  ASSERT_TRUE(limit);
  EXPECT_EQ(limit->name, "DRAM");
  EXPECT_TRUE(limit->isMemory);
  EXPECT_DOUBLE_EQ(limit->seconds, 8e-6);
}

/// Each of the two threads has a share of a cache.
TEST(DevicePeaks, WarmDataComesFromTheCacheThatHoldsIt) {
  auto findName = [](uint64_t bytes) {
    auto limit =
        computeRooflineLimit(makeWork(0, bytes), makePeaks(), CacheState::warm);
    return limit ? limit->name : "";
  };
  EXPECT_EQ(findName(2000), "L1");
  EXPECT_EQ(findName(2001), "L2");
  EXPECT_EQ(findName(300000), "DRAM");
}

TEST(DevicePeaks, NothingIsClaimedOfWhatIsUnknown) {
  DevicePeaks peaks = makePeaks();
  EXPECT_FALSE(computeRooflineLimit(makeWork(0, 0), peaks, CacheState::cold));
  // The products may take longer than the bytes.
  peaks.macs = 0;
  EXPECT_FALSE(
      computeRooflineLimit(makeWork(4000, 1000), peaks, CacheState::cold));
  // Results alone are not all that a launch moves.
  KernelWork work;
  work.bytesWritten = 1000;
  EXPECT_FALSE(getCompulsoryBytes(work));
  work.bytesRead = 10;
  EXPECT_EQ(getCompulsoryBytes(work), 1010);
}

TEST(DevicePeaks, AGpuHasThoseOfItsDataSheet) {
  auto chip = findGpuChip("gfx942");
  ASSERT_TRUE(chip.ok());
  PeakQuery query = {1, ElementType::f16, ElementType::f32};
  auto found = findDataSheetPeaks(**chip, "AMD Instinct MI300X", query);
  ASSERT_TRUE(found);
  const DevicePeaks &peaks = *found;
  EXPECT_EQ(peaks.dataSheet, "MI300X");
  EXPECT_EQ(peaks.macs, peakMacs(**chip, ElementType::f16, ElementType::f32));
  auto limit = computeRooflineLimit(makeWork(0, 1000), peaks, CacheState::cold);
  ASSERT_TRUE(limit);
  EXPECT_DOUBLE_EQ(limit->seconds, 1000 / ((*chip)->gigabytes * 1e9));
  // A data sheet has no bandwidth of caches.
  EXPECT_FALSE(
      computeRooflineLimit(makeWork(0, 1000), peaks, CacheState::warm));
  auto read = decode<DevicePeaks>(Json(peaks));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->dataSheet, "MI300X");
}

/// The others may have more bandwidth.
TEST(DevicePeaks, OtherProductsWithTheChipHaveNone) {
  auto find = [](const char *chip, const char *device) {
    auto known = findGpuChip(chip);
    return known && findDataSheetPeaks(**known, device, {});
  };
  EXPECT_TRUE(find("sm_90", "NVIDIA H100 80GB HBM3"));
  for (const char *other :
       {"NVIDIA H200", "NVIDIA H100 NVL", "NVIDIA GH200 480GB", ""})
    EXPECT_FALSE(find("sm_90", other)) << other;
  EXPECT_FALSE(find("gfx942", "AMD Instinct MI325X"));
  EXPECT_FALSE(find("sm_86", "NVIDIA GeForce RTX 3090 Ti"));
}

TEST(DevicePeaks, WhatIsUnknownHasAName) {
  DevicePeaks peaks = makePeaks();
  EXPECT_EQ(findUnknown(makeWork(1, 0), peaks), NoLimit::work);
  EXPECT_EQ(findUnknown(makeWork(0, 1), peaks), NoLimit::memory);
  peaks.macs = 0;
  EXPECT_EQ(findUnknown(makeWork(1, 1), peaks), NoLimit::types);
}

TEST(DevicePeaks, AreKeptAsJson) {
  Json json = makePeaks();
  EXPECT_FALSE(json.contains("data_sheet"));
  auto read = decode<DevicePeaks>(json);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(Json(*read), json);
}
