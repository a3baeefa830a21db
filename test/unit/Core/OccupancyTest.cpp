//===- Tests for occupancy ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Occupancy.h"

#include <gtest/gtest.h>

using namespace tonno;

namespace {

struct Row {
  const char *chip;
  WorkgroupNeeds needs;
  uint32_t workgroups;
};

} // namespace

static void check(const Row &row) {
  const GpuChip &chip = **findGpuChip(row.chip);
  EXPECT_EQ(residentWorkgroups(chip, row.needs), row.workgroups)
      << row.chip << ", " << row.needs.threads << " threads, "
      << row.needs.registers << " registers, " << row.needs.sharedBytes
      << " bytes";
}

// NVIDIA's calculator, with one barrier and all of the cache as shared memory.
// The whole grid of 4 million points was compared with it once.
TEST(Occupancy, IsThatOfNvidiasCalculator) {
  for (const Row &row : {
           Row{"sm_80", {.threads = 256, .registers = 32}, 8},
           Row{"sm_80", {.threads = 256, .registers = 33}, 6},
           Row{"sm_80", {.threads = 256, .registers = 255}, 1},
           Row{"sm_80", {.threads = 32, .registers = 16}, 32},
           Row{"sm_86", {.threads = 256, .registers = 40}, 6},
           Row{"sm_86", {.threads = 32, .registers = 16}, 16},
           Row{"sm_89", {.threads = 32, .registers = 16}, 24},
           Row{"sm_90", {.threads = 128, .registers = 214}, 2},
           Row{"sm_90", {.threads = 384, .registers = 168}, 1},
           Row{"sm_100", {.threads = 1024, .registers = 64}, 1},
           Row{"sm_103a", {.threads = 128, .registers = 214}, 2},
           Row{"sm_120", {.threads = 512, .registers = 40}, 3},
       })
    check(row);
}

TEST(Occupancy, RegisterStepsAreBelowTheNextWorkgroup) {
  const GpuChip &chip = **findGpuChip("sm_90");
  auto isAbove = [&](uint32_t registers, uint32_t sharedBytes = 0) {
    return isRegisterStepAbove(
        chip,
        {.threads = 256, .registers = registers, .sharedBytes = sharedBytes});
  };
  EXPECT_FALSE(isAbove(128)); // 2 workgroups
  EXPECT_TRUE(isAbove(129));  // 1
  EXPECT_TRUE(isAbove(136));
  EXPECT_FALSE(isAbove(137));            // 8 less are 129
  EXPECT_FALSE(isAbove(136, 200 << 10)); // shared memory has room for 1
  EXPECT_FALSE(isAbove(0));
}

TEST(Occupancy, CountsWhatTheDriverReservesOfSharedMemory) {
  // 228 KiB hold four times 56 KiB, with a kilobyte each.
  check({"sm_90", {.threads = 128, .registers = 32, .sharedBytes = 57344}, 4});
  check({"sm_90", {.threads = 128, .registers = 32, .sharedBytes = 57345}, 3});
  check({"sm_90", {.threads = 128, .registers = 32, .sharedBytes = 232448}, 1});
  check({"sm_90", {.threads = 128, .registers = 32, .sharedBytes = 232449}, 0});
  check({"sm_80", {.threads = 128, .registers = 32, .sharedBytes = 166912}, 1});
  check({"sm_86", {.threads = 128, .registers = 32, .sharedBytes = 101377}, 0});
}

// LLVM states "Occupancy" in subgroups of a partition.
TEST(Occupancy, IsThatOfLLVMForAMD) {
  for (auto [registers, subgroups] : {std::pair{64, 8},
                                      {65, 7},
                                      {80, 6},
                                      {96, 5},
                                      {128, 4},
                                      {129, 3},
                                      {256, 2},
                                      {512, 1}})
    check({"gfx942",
           {.threads = 256, .registers = static_cast<uint32_t>(registers)},
           static_cast<uint32_t>(subgroups)});
  for (const char *rdna : {"gfx1100", "gfx1200"})
    for (auto [registers, subgroups] :
         {std::pair{96, 16}, {97, 12}, {128, 10}, {168, 9}, {192, 8}, {256, 5}})
      check({rdna,
             {.threads = 128, .registers = static_cast<uint32_t>(registers)},
             static_cast<uint32_t>(subgroups)});
  check(
      {"gfx942", {.threads = 256, .registers = 32, .scalarRegisters = 100}, 8});
  check(
      {"gfx942", {.threads = 256, .registers = 32, .scalarRegisters = 102}, 7});
  check({"gfx942", {.threads = 256, .registers = 32, .sharedBytes = 20000}, 3});
  check({"gfx950", {.threads = 256, .registers = 32, .sharedBytes = 20000}, 8});
}

TEST(Occupancy, OfAmdIsLimitedByBarriersUnlessASubgroupIsAlone) {
  check({"gfx942", {.threads = 64, .registers = 16}, 32});
  check({"gfx942", {.threads = 65, .registers = 16}, 16});
}

TEST(Occupancy, IsZeroWhereNotOneFits) {
  for (const GpuChip &chip : gpuChips()) {
    SCOPED_TRACE(std::string(chip.name));
    EXPECT_EQ(residentWorkgroups(chip, {.threads = chip.maxThreads + 1}), 0u);
    EXPECT_EQ(residentWorkgroups(chip, {.threads = 0}), 0u);
    EXPECT_EQ(residentWorkgroups(
                  chip, {.threads = 32, .registers = chip.maxRegisters + 1}),
              0u);
    EXPECT_EQ(
        residentWorkgroups(
            chip, {.threads = 32, .sharedBytes = chip.maxSharedBytes + 1}),
        0u);
    EXPECT_GE(residentWorkgroups(chip, {.threads = 32,
                                        .registers = chip.maxRegisters,
                                        .sharedBytes = chip.maxSharedBytes}),
              1u);
  }
}

TEST(Occupancy, PartitionsFillEvenly) {
  // Five subgroups of 240 registers: two must share a partition, which has room
  // for two, and then a sixth and seventh fit, but no second workgroup.
  check({"sm_90", {.threads = 160, .registers = 240}, 1});
  // Nine would need three in one.
  check({"sm_90", {.threads = 288, .registers = 240}, 0});
}

TEST(Occupancy, IsAShareOfTheChipsSubgroups) {
  const GpuChip &chip = **findGpuChip("sm_90");
  EXPECT_DOUBLE_EQ(occupancy(chip, {.threads = 256, .registers = 32}), 1.0);
  EXPECT_DOUBLE_EQ(occupancy(chip, {.threads = 256, .registers = 128}), 0.25);
  // Half a subgroup takes a whole one's place.
  EXPECT_DOUBLE_EQ(occupancy(chip, {.threads = 16, .registers = 32}), 0.5);
  EXPECT_DOUBLE_EQ(occupancy(chip, {.threads = 2048}), 0.0);
  // The largest workgroup leaves no place for another on most 1536.
  EXPECT_DOUBLE_EQ(occupancy(**findGpuChip("sm_86"), {.threads = 1024}),
                   2.0 / 3);
}
