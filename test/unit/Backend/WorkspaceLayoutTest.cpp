//===- Offsets of buffers in a workspace ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/Memory/WorkspaceLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

#include <random>

using namespace tonno;

namespace {

using Slots = llvm::SmallVector<WorkspaceSlot>;

class WorkspaceLayoutTest : public ::testing::TestWithParam<unsigned> {
protected:
  std::mt19937 random{GetParam()};

  uint64_t draw(uint64_t least, uint64_t most) {
    return std::uniform_int_distribution<uint64_t>(least, most)(random);
  }

  /// Returns slots as functions have them: few live long, most are used by the
  /// next ops, and their sizes differ by three orders of magnitude.
  Slots drawSlots() {
    Slots slots;
    uint64_t ops = draw(1, 60);
    for (uint64_t i = 0, count = draw(1, 60); i < count; ++i) {
      uint64_t first = draw(0, ops);
      uint64_t length = draw(0, 9) == 0 ? draw(0, ops) : draw(0, 5);
      slots.push_back({64 * draw(1, uint64_t(1) << draw(0, 10)),
                       draw(0, 9) == 0 ? 256u : 64u, first, first + length});
    }
    return slots;
  }
};

} // namespace

static bool areApart(llvm::ArrayRef<WorkspaceSlot> slots) {
  for (size_t i = 0; i < slots.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (slots[i].first <= slots[j].last && slots[j].first <= slots[i].last &&
          slots[i].offset < slots[j].offset + slots[j].bytes &&
          slots[j].offset < slots[i].offset + slots[i].bytes)
        return false;
  return true;
}

/// Returns the bytes that a linear scan takes: slots in the order of their
/// first use, each at the lowest offset that is free until its last.
static uint64_t scanLinearly(Slots slots) {
  llvm::sort(slots, [](const WorkspaceSlot &a, const WorkspaceSlot &b) {
    return a.first < b.first;
  });
  Slots live;
  uint64_t bytes = 0;
  for (WorkspaceSlot &slot : slots) {
    llvm::erase_if(
        live, [&](const WorkspaceSlot &one) { return one.last < slot.first; });
    llvm::sort(live, [](const WorkspaceSlot &a, const WorkspaceSlot &b) {
      return a.offset < b.offset;
    });
    slot.offset = 0;
    for (const WorkspaceSlot &one : live)
      if (slot.overlaps(one))
        slot.offset = llvm::alignTo(one.offset + one.bytes, slot.alignment);
    live.push_back(slot);
    bytes = std::max(bytes, slot.offset + slot.bytes);
  }
  return bytes;
}

TEST_P(WorkspaceLayoutTest, KeepsLiveSlotsApart) {
  for (int i = 0; i < 50; ++i) {
    Slots slots = drawSlots();
    uint64_t bytes = assignOffsets(slots);
    EXPECT_TRUE(areApart(slots));
    uint64_t end = 0;
    for (const WorkspaceSlot &slot : slots) {
      EXPECT_EQ(slot.offset % slot.alignment, 0u);
      end = std::max(end, slot.offset + slot.bytes);
    }
    EXPECT_EQ(bytes, end);
    EXPECT_GE(bytes, computePeakBytes(slots));
    EXPECT_LE(double(bytes), 1.2 * double(scanLinearly(slots)));
  }
}

// If a slot's lifetime is ignored, the slot is placed over others.
TEST_P(WorkspaceLayoutTest, AnIgnoredLifetimeIsFound) {
  unsigned found = 0, tried = 0;
  for (int i = 0; i < 50; ++i) {
    Slots slots = drawSlots();
    WorkspaceSlot &ignored = slots[draw(0, slots.size() - 1)];
    bool hasNeighbour = llvm::count_if(slots, [&](const WorkspaceSlot &other) {
                          return ignored.hasOverlappingLifetime(other);
                        }) > 1;
    if (!hasNeighbour)
      continue;
    auto [first, last] = std::pair(ignored.first, ignored.last);
    ignored.first = ignored.last = 1000; // after all others
    assignOffsets(slots);
    ignored.first = first;
    ignored.last = last;
    ++tried;
    found += !areApart(slots);
  }
  ASSERT_GT(tried, 20u);
  EXPECT_GT(found, tried * 3 / 4);
}

INSTANTIATE_TEST_SUITE_P(Seeds, WorkspaceLayoutTest, ::testing::Range(0u, 20u));

// Slots that are used one after the other share memory; the sum of those that
// are live at once is the least.
TEST(WorkspaceLayout, PeakIsTheLargestSum) {
  Slots slots = {{128, 64, 0, 3}, {64, 64, 1, 2}, {64, 64, 3, 4}};
  EXPECT_EQ(computePeakBytes(slots), 192u);
  EXPECT_EQ(assignOffsets(slots), 192u);
  EXPECT_EQ(slots[1].offset, slots[2].offset);
}
