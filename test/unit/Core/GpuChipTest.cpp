//===- The GPUs that tonno knows ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/GpuChip.h"

#include <gmock/gmock.h>
#include <set>

using namespace tonno;
using testing::HasSubstr;

TEST(GpuChip, IsFoundByName) {
  auto found = findGpuChip("sm_90");
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)->name, "sm_90");
  EXPECT_EQ((*found)->vendor, GpuVendor::nvidia);
  EXPECT_EQ((*found)->maxSharedBytes, 227u * 1024);
  found = findGpuChip("gfx950");
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)->vendor, GpuVendor::amd);
  EXPECT_EQ((*found)->subgroupSize, 64u);
  EXPECT_EQ((*found)->sharedBytes, 160u * 1024);
}

TEST(GpuChip, UnknownOnesAreToldTheKnown) {
  for (const char *name : {"sm_35", "", "gfx942 ", "SM_90"}) {
    auto found = findGpuChip(name);
    ASSERT_FALSE(found) << name;
    EXPECT_THAT(found.error().message,
                HasSubstr("unknown GPU '" + std::string(name) + "'"));
    EXPECT_THAT(found.error().message, HasSubstr("sm_120a, gfx90a"));
  }
}

TEST(GpuChip, TableIsConsistent) {
  std::set<std::string_view> names;
  for (const GpuChip &chip : gpuChips()) {
    SCOPED_TRACE(std::string(chip.name));
    EXPECT_TRUE(names.insert(chip.name).second);
    EXPECT_EQ(*findGpuChip(chip.name), &chip);
    // Each partition has as much as the others.
    EXPECT_EQ(chip.maxSubgroups % chip.partitions, 0u);
    EXPECT_EQ(chip.registers % (chip.partitions * chip.subgroupSize), 0u);
    EXPECT_LE(chip.maxThreads, chip.maxSubgroups * chip.subgroupSize);
    EXPECT_LE(chip.staticSharedBytes, chip.maxSharedBytes);
    EXPECT_LE(chip.maxSharedBytes + chip.reservedSharedBytes, chip.sharedBytes);
    EXPECT_EQ(chip.maxSharedBytes % chip.sharedGranularity, 0u);
    bool nvidia = chip.vendor == GpuVendor::nvidia;
    EXPECT_EQ(chip.name.starts_with("sm_"), nvidia);
    EXPECT_EQ(chip.triple.starts_with("nvptx64"), nvidia);
    EXPECT_EQ(chip.cuda > CudaVersion{}, nvidia);
  }
}

TEST(GpuChip, VersionsCompareByNumber) {
  EXPECT_LT((CudaVersion{12, 8}), (CudaVersion{12, 10}));
  EXPECT_LT((CudaVersion{12, 10}), (CudaVersion{13, 0}));
  EXPECT_EQ((CudaVersion{12, 8}).toString(), "12.8");
}
