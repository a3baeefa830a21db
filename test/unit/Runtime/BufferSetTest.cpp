//===- Redzones, poison, placement ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Sampling/BufferSet.h"

#include "FakeDevice.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <gmock/gmock.h>
#include <limits>

using namespace tonno;
using testing::HasSubstr;

static LaunchPlan somePlan() {
  LaunchPlan plan;
  plan.buffers = {{"arg0", ElementType::f32, {3, 5}, Access::read, 64},
                  {"arg1", ElementType::i8, {7}, Access::read_write, 1},
                  {"result0", ElementType::f64, {9}, Access::write, 256},
                  {"workspace0", ElementType::f32, {4}, Access::workspace, 4}};
  return plan;
}

namespace {

class BufferSetTest : public testing::Test {
protected:
  BufferSet place(uint64_t seed = 1,
                  BufferSet::Starts starts = BufferSet::Starts::timed) {
    if (!block)
      block.emplace(std::move(
          *DeviceBlock::allocate(device, BufferSet::bytesFor(plan.buffers))));
    std::mt19937_64 generator(seed);
    auto set = BufferSet::place(device, plan.buffers, block->start(), generator,
                                BufferSet::Redzones::written, starts);
    EXPECT_TRUE(set.ok());
    return std::move(*set);
  }

  BufferContents contents() const {
    BufferContents all;
    for (size_t i = 0; i < plan.buffers.size(); ++i)
      all.emplace_back(plan.buffers[i].bytes(), std::byte(0x10 + i));
    return all;
  }

  FakeDevice device;
  LaunchPlan plan = somePlan();
  std::optional<DeviceBlock> block;
};

} // namespace

TEST_F(BufferSetTest, BuffersLieApartInTheBlockAndAreAligned) {
  for (auto starts : {BufferSet::Starts::timed, BufferSet::Starts::promised})
    for (uint64_t seed = 0; seed < 200; ++seed) {
      BufferSet set = place(seed, starts);
      auto free = reinterpret_cast<uintptr_t>(block->start().memory);
      uintptr_t end = free + BufferSet::bytesFor(plan.buffers);
      for (size_t i = 0; i < plan.buffers.size(); ++i) {
        auto start = reinterpret_cast<uintptr_t>(addressOf(set.pointers()[i]));
        uint64_t alignment = plan.buffers[i].alignment;
        if (starts == BufferSet::Starts::timed)
          EXPECT_EQ(start % std::max<uint64_t>(alignment, 64), 0u);
        else
          EXPECT_EQ(start % (2 * alignment), alignment);
        EXPECT_GE(start, free + 4096); // its own redzone fits
        free = start + plan.buffers[i].bytes() + 4096;
        EXPECT_LE(free, end);
      }
    }
}

TEST_F(BufferSetTest, PlacementFollowsTheGenerator) {
  BufferSet one = place(1), same = place(1), other = place(2);
  EXPECT_EQ(addressOf(one.pointers()[0]), addressOf(same.pointers()[0]));
  EXPECT_NE(addressOf(one.pointers()[0]), addressOf(other.pointers()[0]));
}

TEST_F(BufferSetTest, FillUploadsInputsAndPoisonsTheRest) {
  BufferSet set = place();
  ASSERT_TRUE(set.fill(contents()).ok());
  BufferContents found = *set.download();
  EXPECT_EQ(found[0], contents()[0]);
  EXPECT_EQ(found[1], contents()[1]);
  std::vector<std::byte> poison(plan.buffers[2].bytes(), std::byte(0xFF));
  EXPECT_EQ(found[2], poison);
  // The workspace is not downloaded.
  EXPECT_TRUE(found[3].empty());
  EXPECT_EQ(std::memcmp(addressOf(set.pointers()[3]), poison.data(), 16), 0);
  double first = 0;
  std::memcpy(&first, found[2].data(), sizeof first);
  EXPECT_TRUE(std::isnan(first));
}

TEST_F(BufferSetTest, FillingAgainRestores) {
  BufferSet set = place();
  ASSERT_TRUE(set.fill(contents()).ok());
  std::memset(addressOf(set.pointers()[1]), 0, 7);
  std::memset(addressOf(set.pointers()[2]), 0, 8);
  ASSERT_TRUE(set.fill(contents()).ok());
  BufferContents found = *set.download();
  EXPECT_EQ(found[1], contents()[1]);
  EXPECT_EQ(found[2][0], std::byte(0xFF));
}

TEST_F(BufferSetTest, UntouchedRedzonesAreIntact) {
  BufferSet set = place();
  EXPECT_TRUE(set.checkRedzones().ok());
  ASSERT_TRUE(set.fill(contents()).ok());
  for (size_t i = 0; i < plan.buffers.size(); ++i)
    std::memset(addressOf(set.pointers()[i]), 0, plan.buffers[i].bytes());
  EXPECT_TRUE(set.checkRedzones().ok());
}

TEST_F(BufferSetTest, OneElementBesideABufferIsFound) {
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    auto element =
        static_cast<ptrdiff_t>(getByteSize(plan.buffers[i].elementType));
    auto bytes = static_cast<ptrdiff_t>(plan.buffers[i].bytes());
    for (ptrdiff_t offset : {-element, bytes}) {
      BufferSet set = place();
      auto *stray =
          static_cast<std::byte *>(addressOf(set.pointers()[i])) + offset;
      std::memset(stray, 0, static_cast<size_t>(element));
      auto intact = set.checkRedzones();
      ASSERT_FALSE(intact.ok()) << i << " " << offset;
      EXPECT_EQ(intact.error().status, Status::out_of_bounds);
      EXPECT_THAT(intact.error().message, HasSubstr(plan.buffers[i].name));
      EXPECT_THAT(intact.error().message,
                  HasSubstr(offset < 0 ? "before the start" : "past the end"));
    }
  }
}

TEST_F(BufferSetTest, FarEndsOfTheRedzonesAreFound) {
  for (ptrdiff_t offset : {ptrdiff_t(-4096), ptrdiff_t(60 + 4095)}) {
    BufferSet set = place();
    static_cast<std::byte *>(addressOf(set.pointers()[0]))[offset] ^=
        std::byte(1);
    EXPECT_FALSE(set.checkRedzones().ok()) << offset;
  }
}

template <typename T>
static void update(void *place, size_t count, T (*change)(T)) {
  std::vector<T> values(count);
  std::memcpy(values.data(), place, count * sizeof(T));
  for (T &value : values)
    value = change(value);
  std::memcpy(place, values.data(), count * sizeof(T));
}

/// A kernel that updates its buffer in place, and goes too far, writes what
/// depends on what was there.
TEST_F(BufferSetTest, UpdatesInPlaceThatGoTooFarAreFound) {
  plan.buffers = {{"arg0", ElementType::f32, {3, 5}, Access::read_write, 64},
                  {"arg1", ElementType::f64, {9}, Access::read_write, 64}};
  BufferSet set = place();
  void *behind[] = {addressOf(set.pointers()[0] + plan.buffers[0].bytes()),
                    addressOf(set.pointers()[1] + plan.buffers[1].bytes())};
  auto updates = std::to_array<std::function<void(size_t)>>(
      {[&](size_t n) {
         update<float>(behind[0], n, [](float x) { return x + 1; });
       },
       [&](size_t n) {
         update<float>(behind[0], n, [](float x) { return std::max(x, 0.f); });
       },
       [&](size_t n) {
         update<double>(behind[1], n, [](double x) { return x + 1; });
       },
       [&](size_t n) {
         update<double>(behind[1], n, [](double x) { return std::max(x, 0.); });
       }});
  for (const auto &each : updates) {
    // A single element is detected where the pattern is small: in one launch of
    // two.
    int seen = 0;
    for (int launch = 0; launch < 2; ++launch) {
      ASSERT_TRUE(set.swapRedzones().ok());
      each(1);
      seen += !set.checkRedzones().ok();
      ASSERT_TRUE(set.swapRedzones().ok());
      each(4);
      EXPECT_FALSE(set.checkRedzones().ok());
      ASSERT_TRUE(set.swapRedzones().ok());
      EXPECT_TRUE(set.checkRedzones().ok());
    }
    EXPECT_EQ(seen, 1);
  }
}

TEST_F(BufferSetTest, PlacingAnewRepairsRedzones) {
  BufferSet set = place();
  static_cast<std::byte *>(addressOf(set.pointers()[0]))[-1] = std::byte(0);
  EXPECT_FALSE(set.checkRedzones().ok());
  EXPECT_TRUE(place().checkRedzones().ok());
}

TEST_F(BufferSetTest, RestoreUploadsWhatIsReadAndWrittenAlone) {
  BufferSet set = place();
  ASSERT_TRUE(set.fill(contents()).ok());
  for (size_t i = 0; i < plan.buffers.size(); ++i)
    std::memset(addressOf(set.pointers()[i]), 0, plan.buffers[i].bytes());
  ASSERT_TRUE(set.restore(contents()).ok());
  BufferContents found = *set.download();
  EXPECT_EQ(found[1], contents()[1]);
  for (size_t i : {0, 2})
    EXPECT_EQ(found[i], std::vector<std::byte>(plan.buffers[i].bytes()));
}

TEST_F(BufferSetTest, ResetMakesOutputsNewAndLeavesTheRest) {
  BufferSet set = place();
  ASSERT_TRUE(set.fill(contents()).ok());
  for (DevicePointer buffer : set.pointers())
    *static_cast<std::byte *>(addressOf(buffer)) = std::byte(0x42);
  ASSERT_TRUE(set.reset(contents()).ok());
  auto first = [&](size_t buffer) {
    return *static_cast<std::byte *>(addressOf(set.pointers()[buffer]));
  };
  EXPECT_EQ(first(0), std::byte(0x42));
  EXPECT_EQ(first(1), std::byte(0x11));
  EXPECT_EQ(first(2), std::byte(0xFF));
  EXPECT_EQ(first(3), std::byte(0x42));
}

TEST_F(BufferSetTest, OutputsAreDownloadedAlone) {
  BufferSet set = place();
  ASSERT_TRUE(set.fill(contents()).ok());
  auto outputs = set.downloadOutputs();
  ASSERT_TRUE(outputs.ok());
  EXPECT_TRUE((*outputs)[0].empty());
  EXPECT_EQ((*outputs)[1], contents()[1]);
  EXPECT_EQ((*outputs)[2].size(), 72u);
  EXPECT_TRUE((*outputs)[3].empty());
}

TEST_F(BufferSetTest, ElementsLieAtTheirStridesAndGapsBetween) {
  plan.buffers[0].strides = {8, 1};
  plan.buffers[1].shape = {2, 2};
  plan.buffers[1].strides = {2, 4};
  BufferSet set = place();
  BufferContents elements = contents();
  elements[0].resize(60);
  elements[1] = {std::byte(1), std::byte(2), std::byte(3), std::byte(4)};
  ASSERT_TRUE(set.fill(elements).ok());
  std::byte gap{0x7F};
  auto *memory = static_cast<const std::byte *>(addressOf(set.pointers()[1]));
  EXPECT_THAT(std::span(memory, 7),
              testing::ElementsAre(std::byte(1), gap, std::byte(3), gap,
                                   std::byte(2), gap, std::byte(4)));
  BufferContents found = *set.download();
  EXPECT_EQ(found[0], elements[0]);
  EXPECT_EQ(found[1], elements[1]);
  EXPECT_TRUE(set.checkRedzones().ok());
}

TEST_F(BufferSetTest, WritesIntoGapsAreFound) {
  for (size_t buffer : {0, 2, 3}) {
    plan = somePlan();
    plan.buffers[buffer].shape = {3, 5};
    plan.buffers[buffer].strides = {8, 1};
    block.reset();
    size_t element = getByteSize(plan.buffers[buffer].elementType);
    BufferContents elements = contents();
    elements[buffer].assign(15 * element, std::byte(0));
    BufferSet set = place();
    for (size_t place : {5, 7, 8 + 6, 16 + 4, 8}) {
      ASSERT_TRUE(set.fill(elements).ok());
      auto *memory =
          static_cast<std::byte *>(addressOf(set.pointers()[buffer]));
      memory[place * element] ^= std::byte(1);
      auto intact = set.checkRedzones();
      if (place % 8 < 5) {
        EXPECT_TRUE(intact.ok()) << place;
        continue;
      }
      ASSERT_FALSE(intact.ok()) << place;
      EXPECT_EQ(intact.error().status, Status::out_of_bounds);
      EXPECT_THAT(intact.error().message, HasSubstr(plan.buffers[buffer].name));
      EXPECT_THAT(intact.error().message, HasSubstr("between its rows"));
    }
  }
}

TEST(DeviceBlock, IsReleasedOnce) {
  FakeDevice device;
  {
    auto block = DeviceBlock::allocate(device, 100);
    ASSERT_TRUE(block.ok());
    DeviceBlock moved = std::move(*block);
    EXPECT_EQ(device.blocks.size(), 1u);
  }
  EXPECT_EQ(device.blocks.size(), 0u);
}

TEST(DeviceBlock, FullDeviceIsAFailure) {
  FakeDevice device;
  device.memoryBytes = 10;
  auto block = DeviceBlock::allocate(device, 100);
  ASSERT_FALSE(block.ok());
  EXPECT_EQ(block.error().status, Status::out_of_memory);
}

TEST_F(BufferSetTest, SizesThatDoNotAddUpAreMoreThanThereIs) {
  // Each has 2^63 - 64 bytes, which fit a size; three of them wrap around.
  int64_t bytes = std::numeric_limits<int64_t>::max() - 63;
  plan.buffers.assign(3, {"a", ElementType::i8, {bytes}, Access::read, 64});
  EXPECT_EQ(BufferSet::bytesFor(plan.buffers),
            std::numeric_limits<size_t>::max());
}
