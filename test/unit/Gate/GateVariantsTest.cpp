//===- Legitimate variants pass the correctness gate ----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GateFixture.h"

#include <gmock/gmock.h>

using namespace tonno;
using namespace tonno::gate;
using testing::IsEmpty;

/// Number of seeds that a test has time for; tonno-benchmark-gate takes 100.
static uint64_t variantSeeds(int64_t k) {
  return k <= 256 ? 100 : k <= 1024 ? 40 : k <= 4096 ? 10 : 2;
}

using GateVariants = GateCell;

TEST_P(GateVariants, Pass) {
  for (const GateKernel &kernel : kernelsOf(GetParam()))
    EXPECT_THAT(misjudged(kernel, kernel.right, /*isRight=*/true,
                          seedsHere(variantSeeds(GetParam().k))),
                IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, GateVariants, testing::ValuesIn(allCells()),
                         cellName);

TEST(GateVariantsTest, TellsWhoIsRefused) {
  for (const GateKernel &kernel : kernelsOf(cellsOf(64).front()))
    EXPECT_GE(misjudged(kernel, kernel.mutants, /*isRight=*/true, 1).size(),
              kernel.mutants.size() / 2)
        << kernel.name;
}
