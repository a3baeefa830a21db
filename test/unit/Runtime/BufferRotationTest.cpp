//===- Buffers that leave the cache ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SamplerFixture.h"

#include <algorithm>
#include <cstdlib>

using namespace tonno;

namespace {
class BufferRotationTest : public SamplerFixture {};
} // namespace

TEST_F(BufferRotationTest, SetsAreOddInNumberAndLeaveTheCache) {
  for (uint64_t cache :
       {uint64_t(0), uint64_t(1) << 16, uint64_t(1) << 20, uint64_t(1) << 40}) {
    device.about.cacheBytes = cache;
    BufferRotation rotation = rotate();
    size_t sets = turn(rotation).size();
    EXPECT_EQ(sets % 2, 1u) << cache;
    EXPECT_GE(sets, 3u);
    EXPECT_LE(sets, options.maxRotationSets);
    if (cache == 1 << 20) {
      EXPECT_GE(sets * 512, cache * 3 / 2);
    }
  }
}

TEST_F(BufferRotationTest, RedrawMovesTheBuffersWithoutNewMemory) {
  BufferRotation rotation = rotate();
  std::vector<void *> before = turn(rotation);
  size_t blocks = device.blocks.size();
  ASSERT_TRUE(rotation.redraw().ok());
  std::vector<void *> after = turn(rotation);
  EXPECT_EQ(after.size(), before.size());
  EXPECT_NE(after, before);
  EXPECT_EQ(device.blocks.size(), blocks);
  // The memory has room for twice as many sets, so that some addresses are new.
  std::set<void *> old(before.begin(), before.end());
  EXPECT_TRUE(std::any_of(after.begin(), after.end(), [&](void *place) {
    return std::none_of(old.begin(), old.end(), [&](void *known) {
      return std::abs(static_cast<char *>(place) - static_cast<char *>(known)) <
             4096;
    });
  }));
}

TEST_F(BufferRotationTest, RedrawWritesTheBuffersAndNothingAroundThem) {
  BufferRotation rotation = rotate();
  size_t uploads = device.uploads;
  ASSERT_TRUE(rotation.redraw().ok());
  EXPECT_EQ(device.uploads, uploads + 2 * rotation.size());
}

TEST_F(BufferRotationTest, FullDeviceIsAFailureAndKeepsNothing) {
  device.memoryBytes = 100;
  auto rotation =
      BufferRotation::create(device, plan.signature(), {}, options, 1);
  ASSERT_FALSE(rotation.ok());
  EXPECT_EQ(rotation.error().status, Status::out_of_memory);
  EXPECT_TRUE(device.blocks.empty());
}

TEST_F(BufferRotationTest, FlushThatFailsLeavesNoRotation) {
  device.about.cacheBytes = uint64_t(1) << 30;
  device.failFlushes = true;
  auto rotation =
      BufferRotation::create(device, plan.signature(), {}, options, 1);
  ASSERT_FALSE(rotation.ok());
  EXPECT_EQ(rotation.error().status, Status::lost);
  EXPECT_TRUE(device.blocks.empty());
}

TEST_F(BufferRotationTest, RotationKeepsToTheMemoryThatThereIs) {
  device.about.cacheBytes = uint64_t(1) << 40;
  device.about.memoryBytes = size_t(160) * BufferSet::bytesFor(plan.buffers);
  BufferRotation rotation = rotate();
  EXPECT_LE(turn(rotation).size(), 21u);
}

TEST_F(BufferRotationTest, RotationKeepsToItsBytes) {
  device.about.cacheBytes = uint64_t(1) << 40;
  options.maxRotationBytes = 40 * BufferSet::bytesFor(plan.buffers);
  BufferRotation rotation = rotate();
  EXPECT_LE(turn(rotation).size(), 21u);
}

TEST_F(BufferRotationTest, OneSetOfALargeKernelIsAllThatIsTaken) {
  // Three with room for two each would be six times its data.
  device.about.cacheBytes = 512;
  size_t setBytes = BufferSet::bytesFor(plan.buffers);
  for (size_t affordable : {5 * setBytes, 2 * setBytes, setBytes}) {
    options.maxRotationBytes = affordable;
    BufferRotation rotation = rotate();
    EXPECT_EQ(rotation.size(), 1u);
    EXPECT_TRUE(rotation.redraw().ok());
  }
}
