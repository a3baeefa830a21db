//===- Tests for the resource usage of a kernel ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Occupancy.h"

#include <gtest/gtest.h>

using namespace tonno;

static KernelUsage kernel(const char *symbol) {
  return {.symbol = symbol,
          .codeBytes = 1024,
          .registers = 128,
          .scalarRegisters = std::nullopt,
          .spillBytes = 0,
          .stackBytes = 16,
          .sharedBytes = 4096,
          .instructions = 64};
}

static Launch launch(const char *symbol, uint32_t threads,
                     uint32_t sharedBytes = 0) {
  return {symbol, {}, {{1, 1, 1}, {threads, 1, 1}, sharedBytes}};
}

static const GpuChip &sm90() { return **findGpuChip("sm_90"); }

TEST(CombineUsage, OfOneKernelIsItsOwn) {
  ResourceUsage usage =
      combineUsage({kernel("a")}, {{}, {launch("a", 256)}}, sm90());
  EXPECT_EQ(usage.codeBytes, 1024u);
  EXPECT_EQ(usage.registers, 128u);
  EXPECT_EQ(usage.spillBytes, 0u);
  EXPECT_EQ(usage.stackBytes, 16u);
  EXPECT_EQ(usage.sharedBytes, 4096u);
  EXPECT_EQ(usage.instructions, 64u);
  EXPECT_EQ(usage.workspaceBytes, 0u);
  EXPECT_EQ(usage.occupancy, 0.25);
}

TEST(CombineUsage, TakesThreadsInAllDimensions) {
  Launch cube = launch("a", 8);
  cube.geometry.block = {8, 8, 4};
  EXPECT_EQ(combineUsage({kernel("a")}, {{}, {cube}}, sm90()).occupancy, 0.25);
}

TEST(CombineUsage, AddsCodeAndTakesTheLargestOfTheRest) {
  KernelUsage other = kernel("b");
  other.registers = 32;
  other.sharedBytes = 0;
  other.spillBytes = 8;
  LaunchPlan plan{{}, {launch("a", 256), launch("b", 256, 20000)}};
  ResourceUsage usage = combineUsage({kernel("a"), other}, plan, sm90());
  EXPECT_EQ(usage.codeBytes, 2048u);
  EXPECT_EQ(usage.instructions, 128u);
  EXPECT_EQ(usage.registers, 128u);
  EXPECT_EQ(usage.spillBytes, 8u);
  EXPECT_EQ(usage.sharedBytes, 20000u);
  EXPECT_EQ(usage.occupancy, 0.25);
}

TEST(CombineUsage, CountsDynamicSharedMemoryOfEachLaunch) {
  LaunchPlan plan{{}, {launch("a", 256), launch("a", 256, 200000)}};
  ResourceUsage usage = combineUsage({kernel("a")}, plan, sm90());
  EXPECT_EQ(usage.sharedBytes, 204096u);
  EXPECT_EQ(usage.occupancy, 0.125);
  EXPECT_EQ(usage.codeBytes, 1024u);
}

TEST(CombineUsage, CountsTheCodeOfWhatIsNotLaunched) {
  KernelUsage idle = kernel("idle");
  idle.registers = 255;
  ResourceUsage usage =
      combineUsage({kernel("a"), idle}, {{}, {launch("a", 256)}}, sm90());
  EXPECT_EQ(usage.codeBytes, 2048u);
  EXPECT_EQ(usage.registers, 128u);
}

TEST(CombineUsage, UnknownStaysUnknown) {
  KernelUsage silent = kernel("b");
  silent.spillBytes.reset();
  silent.instructions.reset();
  LaunchPlan plan{{}, {launch("a", 256), launch("b", 256)}};
  ResourceUsage usage = combineUsage({kernel("a"), silent}, plan, sm90());
  EXPECT_FALSE(usage.spillBytes);
  EXPECT_FALSE(usage.instructions);
  EXPECT_EQ(usage.codeBytes, 2048u);
  EXPECT_EQ(usage.registers, 128u);

  plan.launches.push_back(launch("elsewhere", 64));
  usage = combineUsage({kernel("a"), kernel("b")}, plan, sm90());
  EXPECT_FALSE(usage.registers);
  EXPECT_FALSE(usage.sharedBytes);
  EXPECT_FALSE(usage.occupancy);
  EXPECT_EQ(usage.instructions, 128u);
}

TEST(CombineUsage, OfNothingKnownIsTheWorkspace) {
  BufferSpec scratch;
  scratch.elementType = ElementType::i8;
  scratch.shape = {640};
  scratch.access = Access::workspace;
  LaunchPlan plan{{scratch, scratch}, {launch("a", 256)}};
  ResourceUsage usage = combineUsage({}, plan, sm90());
  ResourceUsage expected;
  expected.workspaceBytes = 1280;
  EXPECT_EQ(usage, expected);
}
