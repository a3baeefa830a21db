//===- Mutants do not pass the correctness gate ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GateFixture.h"
#include "gate/Escapes.h"

#include <gmock/gmock.h>

using namespace tonno;
using namespace tonno::gate;
using testing::IsEmpty;

static uint64_t mutantSeeds(int64_t k) {
  return k <= 256 ? 20 : k <= 1024 ? 8 : k <= 4096 ? 3 : 2;
}

using GateMutants = GateCell;

TEST_P(GateMutants, AreAlwaysCaughtWhereTheTableSaysSo) {
  size_t claims = 0;
  for (const GateKernel &kernel : kernelsOf(GetParam())) {
    std::vector<Candidate> claimed;
    for (const Candidate &mutant : kernel.mutants)
      if (!mayEscape(kernel.name, mutant.name, GetParam()))
        claimed.push_back(mutant);
    claims += claimed.size();
    EXPECT_THAT(misjudged(kernel, claimed, /*isRight=*/false,
                          seedsHere(mutantSeeds(GetParam().k))),
                IsEmpty());
  }
  EXPECT_GT(claims, 100u);
}

INSTANTIATE_TEST_SUITE_P(All, GateMutants, testing::ValuesIn(allCells()),
                         cellName);

TEST(GateMutantsTest, WhatMayEscapeDoes) {
  // Otherwise the table claims less than it could.
  for (const Cell &cell : cellsOf(16384)) {
    for (const GateKernel &kernel : kernelsOf(cell)) {
      if (kernel.name != "layernorm")
        continue;
      auto opened = OpenedKernel::open(kernel, 0);
      ASSERT_TRUE(opened.ok());
      for (const Candidate &mutant : kernel.mutants)
        if (mutant.name == "n - 1 for n" &&
            mayEscape(kernel.name, mutant.name, cell)) {
          EXPECT_TRUE(opened->judge(mutant).ok()) << cell.types();
        }
    }
  }
}

TEST(GateMutantsTest, TellsWhoPasses) {
  for (const GateKernel &kernel : kernelsOf(cellsOf(64).front()))
    EXPECT_EQ(misjudged(kernel, kernel.right, /*isRight=*/false, 1).size(),
              kernel.right.size())
        << kernel.name;
}
