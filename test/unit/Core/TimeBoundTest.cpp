//===- A lower bound on the time of a GPU kernel --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/TimeBound.h"

#include "tonno/Core/Occupancy.h"

#include <gtest/gtest.h>

using namespace tonno;

namespace {

/// A product of 4864 x 4096 x 4096 in f16 on gfx942: 256 x 256 a workgroup, 8
/// subgroups, 304 workgroups for as many units.
class Product {
public:
  const GpuChip &chip = **findGpuChip("gfx942");
  Launch launch{
      .symbol = "k", .buffers = {}, .geometry = {{304, 1, 1}, {512, 1, 1}, 0}};
  KernelWork work{.macs = uint64_t(4864) * 4096 * 4096,
                  .operand = ElementType::f16,
                  .sum = ElementType::f32};
  /// An iteration of a subgroup: 64 x 128 x 32 multiply-adds.
  InstructionCounts loop = {.matrix = 32,
                            .matrixMacs = uint64_t(32) * 8192,
                            .matrixCycles = uint64_t(32) * 32};
  uint64_t registers = 128;

  TimeBound bound() const {
    MachineCode code;
    code.loops.push_back({.blocks = {}, .always = loop, .all = loop});
    KernelUsage kernel;
    kernel.symbol = "k";
    kernel.registers = registers;
    kernel.sharedBytes = 0;
    kernel.code = code;
    auto found = boundTime({kernel}, {{}, {launch}}, work, chip);
    EXPECT_TRUE(found);
    return found.value_or(TimeBound());
  }
};

} // namespace

TEST(TimeBound, OfMatrixInstructionsAloneIsThePeak) {
  TimeBound bound = Product().bound();
  EXPECT_NEAR(bound.share, 1, 1e-9);
  EXPECT_EQ(bound.limit, "matrix");
  // 1.307 * 10^15 operations a second, by AMD's data sheet.
  EXPECT_NEAR(bound.seconds, 2.0 * 4864 * 4096 * 4096 / 1307e12, 1e-6);
  EXPECT_EQ(bound.toString(), "1.00 of peak: matrix");
}

TEST(TimeBound, CountsWholeRounds) {
  Product product;
  product.launch.geometry.grid = {456, 1, 1}; // 1.5 rounds
  TimeBound bound = product.bound();
  EXPECT_NEAR(bound.share, 0.75, 1e-9);
  EXPECT_EQ(bound.limit, "waves");
}

TEST(TimeBound, LaunchesWithoutLoopsPerformLittleOfAProduct) {
  Product product;
  product.loop.issueCycles = 4096; // twice the peak's time
  MachineCode loop, straight;
  loop.loops.push_back(
      {.blocks = {}, .always = product.loop, .all = product.loop});
  straight.always = straight.all = {.fmaMacs = 64, .fmaCycles = 4};
  auto describe = [](const char *symbol, const MachineCode &code) {
    KernelUsage kernel;
    kernel.symbol = symbol;
    kernel.registers = 128;
    kernel.sharedBytes = 0;
    kernel.code = code;
    return kernel;
  };
  Launch first{
      .symbol = "s", .buffers = {}, .geometry = {{1, 1, 1}, {64, 1, 1}, 0}};
  auto found =
      boundTime({describe("k", loop), describe("s", straight)},
                {{}, {first, product.launch}}, product.work, product.chip);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->seconds, product.bound().seconds, 1e-7);
  EXPECT_EQ(found->limit, "issue");
}

TEST(TimeBound, DoubledLoadsOfSharedMemoryLowerIt) {
  Product product;
  product.loop.sharedLoads = 16;
  product.loop.sharedLoadBytes = 256;
  TimeBound once = product.bound();
  EXPECT_EQ(once.limit, "matrix"); // 8 * 256 * 64 / 128 = 1024 of 2048 cycles
  product.loop.sharedLoadBytes = 1024;
  TimeBound more = product.bound();
  EXPECT_EQ(more.limit, "LDS");
  EXPECT_NEAR(more.share, 0.5, 1e-9);
  product.loop.sharedLoadBytes = 2048;
  EXPECT_NEAR(product.bound().share, 0.25, 1e-9);
}

TEST(TimeBound, NamesEachLimit) {
  Product product;
  auto limitWith = [&](auto member, uint64_t value) {
    Product changed = product;
    changed.loop.*member = value;
    TimeBound bound = changed.bound();
    EXPECT_LT(bound.share, 0.99) << bound.limit;
    return bound.limit;
  };
  EXPECT_EQ(limitWith(&InstructionCounts::issueCycles, 1500), "issue");
  EXPECT_EQ(limitWith(&InstructionCounts::fmaCycles, 1500), "FMA");
  EXPECT_EQ(limitWith(&InstructionCounts::specialCycles, 1500), "special");
  EXPECT_EQ(limitWith(&InstructionCounts::globalLoadBytes, 1000), "cache");
  EXPECT_EQ(limitWith(&InstructionCounts::latency, 10000), "latency");
}

TEST(TimeBound, FewerResidentSubgroupsHideLess) {
  Product product;
  product.launch.geometry = {{2432, 1, 1}, {64, 1, 1}, 0};
  product.loop.latency = 1024; // as long as its matrix instructions take
  EXPECT_EQ(product.bound().limit, "matrix");
  product.launch.geometry.sharedBytes = 65536; // one workgroup of one subgroup
  TimeBound bound = product.bound();
  EXPECT_EQ(bound.limit, "latency");
  EXPECT_NEAR(bound.share, 0.25, 1e-9);
}

TEST(TimeBound, MemoryLimitsThinProducts) {
  Product product;
  product.work = {.macs = 4096 * 4096,
                  .operand = ElementType::f16,
                  .sum = ElementType::f32,
                  .bytesRead = 2 * 4096 * 4096,
                  .bytesWritten = 0};
  TimeBound bound = product.bound();
  EXPECT_EQ(bound.limit, "DRAM");
  EXPECT_NEAR(bound.share, 1, 1e-9);
  EXPECT_NEAR(bound.seconds, 2.0 * 4096 * 4096 / 5.3e12, 1e-12);
}

TEST(TimeBound, ExecutesCodeAroundTheLoads) {
  const GpuChip &chip = **findGpuChip("sm_90");
  MachineCode code;
  code.all = {.globalLoads = 1, .globalLoadBytes = 4};
  code.withMemory = {.special = 100, .specialCycles = 800};
  KernelUsage kernel;
  kernel.symbol = "k";
  kernel.registers = 32;
  kernel.sharedBytes = 0;
  kernel.code = code;
  Launch launch{.symbol = "k",
                .buffers = {},
                .geometry = {{132 * 64, 1, 1}, {256, 1, 1}, 0}};
  KernelWork work{.bytesRead = uint64_t(132) * 64 * 256 * 4};
  auto bound = boundTime({kernel}, {{}, {launch}}, work, chip);
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->limit, "special");
  // 64 workgroups of 8 subgroups on 4 partitions.
  EXPECT_NEAR(bound->seconds, 128 * 800 / 1830e6, 1e-9);
  // If each lane loads less, not all lanes need to execute the code.
  work.bytesRead /= 2;
  bound = boundTime({kernel}, {{}, {launch}}, work, chip);
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->limit, "DRAM");
}

TEST(TimeBound, NoCodeIsFasterThanThePeak) {
  Product product;
  product.loop.matrixCycles = 1;
  product.loop.matrix = 0;
  product.loop.fmaMacs = 0;
  TimeBound bound = product.bound();
  EXPECT_EQ(bound.share, 1);
  EXPECT_EQ(bound.limit, "peak");
}

TEST(TimeBound, IsUnknownWithoutCode) {
  Product product;
  KernelUsage kernel;
  kernel.symbol = "k";
  EXPECT_FALSE(
      boundTime({kernel}, {{}, {product.launch}}, product.work, product.chip));
  EXPECT_FALSE(boundTime({}, {}, product.work, product.chip));
}

TEST(TimeBound, TravelsAsJson) {
  ResourceUsage usage;
  usage.timeBound = {.seconds = 1e-3, .share = 0.5, .limit = "LDS"};
  Json json = usage;
  EXPECT_EQ(json.at("time_bound").at("limit"), "LDS");
  EXPECT_EQ(json.get<ResourceUsage>(), usage);
  EXPECT_EQ(Json(ResourceUsage()).dump(), "{}");
}

TEST(PeakMacs, AreThoseOfDataSheets) {
  auto tera = [](const char *chip, ElementType operand, ElementType sum) {
    return 2e-12 * peakMacs(**findGpuChip(chip), operand, sum);
  };
  constexpr auto f16 = ElementType::f16, f32 = ElementType::f32,
                 i8 = ElementType::i8, i32 = ElementType::i32;
  EXPECT_NEAR(tera("sm_80", f16, f32), 312, 1);
  EXPECT_NEAR(tera("sm_80", f32, f32), 19.5, 0.1);
  EXPECT_NEAR(tera("sm_80", i8, i32), 624, 1);
  EXPECT_NEAR(tera("sm_90", f16, f32), 990, 1);
  EXPECT_NEAR(tera("sm_90", i8, i32), 1979, 1);
  EXPECT_NEAR(tera("gfx942", f16, f32), 1307, 1);
  EXPECT_NEAR(tera("gfx942", f16, f16), 1307, 1);
  EXPECT_NEAR(tera("gfx942", f32, f32), 163.4, 0.1);
  EXPECT_NEAR(tera("gfx950", i8, i32), 5033, 1);
}
