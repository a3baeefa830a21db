//===- Tests for loops in GPU machine code --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/MachineCode.h"

#include <gtest/gtest.h>

using namespace tonno;

namespace {

/// Instructions of 4 bytes.
class Assembler {
public:
  Assembler &add(MachineInstruction one, unsigned times = 1) {
    for (unsigned i = 0; i < times; ++i) {
      one.address = 4 * code.size();
      code.push_back(one);
    }
    return *this;
  }
  Assembler &load(uint32_t bytes) {
    return add({.kind = InstructionKind::globalLoad, .bytes = bytes});
  }
  Assembler &branch(size_t target) {
    return add({.kind = InstructionKind::branch,
                .isPredicated = true,
                .target = 4 * target});
  }

  std::vector<MachineInstruction> code;
};

} // namespace

static MachineInstruction mfma(uint32_t result) {
  return {.kind = InstructionKind::matrix,
          .issueCycles = 4,
          .pipeCycles = 32,
          .latency = 32,
          .macs = 8192,
          .result = result};
}

TEST(MachineCode, OfNothingIsEmpty) {
  MachineCode code = analyzeMachineCode({});
  EXPECT_TRUE(code.loops.empty());
  EXPECT_EQ(code.mainLoop(), nullptr);
}

TEST(MachineCode, FindsNestedLoops) {
  Assembler text;
  text.load(4);         // 0
  text.load(8);         // 1: outer
  text.add(mfma(1), 2); // 2, 3: inner
  text.branch(2);       // 4
  text.branch(1);       // 5
  text.branch(6);       // 6: padding, a branch to itself
  MachineCode code = analyzeMachineCode(text.code);
  ASSERT_EQ(code.loops.size(), 2u);
  const CodeLoop &outer = code.loops[0], &inner = code.loops[1];
  EXPECT_EQ(outer.blocks, (std::vector<CodeBlock>{{4, 4}, {20, 20}}));
  EXPECT_FALSE(outer.isInnermost);
  EXPECT_EQ(outer.all.globalLoadBytes, 8u);
  EXPECT_EQ(outer.all.matrix, 0u); // its own instructions alone
  EXPECT_TRUE(inner.isInnermost);
  EXPECT_EQ(inner.blocks, (std::vector<CodeBlock>{{8, 16}}));
  EXPECT_EQ(inner.all.matrixMacs, 16384u);
  EXPECT_EQ(code.mainLoop(), &inner);
  EXPECT_EQ(code.all.globalLoads, 1u);
}

/// Compilers place blocks that run rarely behind the code.
TEST(MachineCode, BranchesBackFromOutlinedBlocksAreNoLoops) {
  Assembler text;
  text.branch(5);                                           // 0
  text.load(4);                                             // 1
  text.load(4);                                             // 2
  text.branch(0);                                           // 3
  text.add({.kind = InstructionKind::exit});                // 4
  text.add({.kind = InstructionKind::special});             // 5
  text.add({.kind = InstructionKind::branch, .target = 8}); // 6: to 2
  MachineCode code = analyzeMachineCode(text.code);
  ASSERT_EQ(code.loops.size(), 1u);
  EXPECT_EQ(code.loops[0].always.globalLoads, 1u);
  EXPECT_EQ(code.loops[0].all.globalLoads, 2u);
  EXPECT_EQ(code.loops[0].all.special, 1u);
}

TEST(MachineCode, LeavesOutWhatMayNotRun) {
  Assembler text;
  text.branch(3);                              // 0
  text.load(16);                               // 1: skipped
  text.add({.kind = InstructionKind::vector}); // 2: skipped
  text.load(4);                                // 3
  text.add({.kind = InstructionKind::sharedLoad,
            .issueCycles = 1,
            .bytes = 16,
            .isPredicated = true});                             // 4
  text.branch(3);                                               // 5
  text.branch(8);                                               // 6
  text.add({.kind = InstructionKind::special});                 // 7: skipped
  text.add({.kind = InstructionKind::globalStore, .bytes = 4}); // 8
  MachineCode code = analyzeMachineCode(text.code);
  EXPECT_EQ(code.always.globalLoads, 0u);
  EXPECT_EQ(code.always.special, 0u);
  EXPECT_EQ(code.always.globalStoreBytes, 4u);
  EXPECT_EQ(code.all.globalLoadBytes, 16u);
  // The first branch skips memory; code that accesses all of it takes it not.
  EXPECT_EQ(code.withMemory.globalLoadBytes, 16u);
  EXPECT_EQ(code.withMemory.vector, 1u);
  EXPECT_EQ(code.withMemory.special, 0u);
  ASSERT_EQ(code.loops.size(), 1u);
  // A predicated instruction takes its slot, but perhaps moves nothing.
  EXPECT_EQ(code.loops[0].always.sharedLoadBytes, 0u);
  EXPECT_EQ(code.loops[0].always.issueCycles, 1u);
  EXPECT_EQ(code.loops[0].all.sharedLoadBytes, 16u);
}

TEST(MachineCode, AddsLatenciesOfOneRegister) {
  auto latency = [](uint32_t first, uint32_t second) {
    Assembler text;
    MachineInstruction one = mfma(first);
    one.pipeCycles = 8;
    text.add(one);
    one.result = second;
    text.add(one).branch(0);
    return analyzeMachineCode(text.code).loops.at(0).always.latency;
  };
  EXPECT_EQ(latency(1, 1), 64u);
  EXPECT_EQ(latency(1, 2), 32u);
}

TEST(MachineCode, ASubgroupUsesOneUnitAtATime) {
  Assembler text;
  text.add(mfma(1)).add(mfma(2)).add(mfma(3)).branch(0);
  EXPECT_EQ(analyzeMachineCode(text.code).loops.at(0).always.latency, 96u);
}
