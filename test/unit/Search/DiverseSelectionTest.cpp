//===- Likely good and unlike each other ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/Forest.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// Returns rows of one column.
static Rows<uint8_t> rowsOf(const std::vector<uint8_t> &bins) {
  Rows<uint8_t> rows(1);
  for (uint8_t bin : bins)
    rows.append()[0] = bin;
  return rows;
}

/// Bins 1 and 2 are good, and 8, far from them, nearly.
static Forest forest() {
  std::vector<double> targets;
  std::vector<uint8_t> bins;
  for (int copy = 0; copy < 20; ++copy)
    for (uint8_t bin = 0; bin < 10; ++bin) {
      bins.push_back(bin);
      targets.push_back(bin == 1 ? 1 : bin == 2 ? 0.95 : bin == 8 ? 0.7 : 0);
    }
  Forest::Options options;
  options.trees = 20;
  options.tree.mostDepth = 3;
  return Forest(rowsOf(bins), targets, options, 1);
}

TEST(DiverseSelection, WithoutAPenaltyTheBestAreSelected) {
  Rows<uint8_t> rows = rowsOf({5, 8, 2, 1, 6});
  EXPECT_THAT(selectDiverse(forest(), rows, 3, 0), ElementsAre(3, 2, 1));
}

TEST(DiverseSelection, WhatIsInTheSameLeavesIsPenalised) {
  // The best twice: the second one tells nothing.
  Rows<uint8_t> rows = rowsOf({5, 8, 1, 1, 6});
  EXPECT_THAT(selectDiverse(forest(), rows, 3, 0), ElementsAre(2, 3, 1));
  EXPECT_THAT(selectDiverse(forest(), rows, 2, 1), ElementsAre(2, 1));
}

TEST(DiverseSelection, SelectsNoMoreThanThereAre) {
  Rows<uint8_t> rows = rowsOf({5, 8});
  EXPECT_THAT(selectDiverse(forest(), rows, 7, 1), UnorderedElementsAre(0, 1));
  EXPECT_THAT(selectDiverse(forest(), rows, 0, 1), IsEmpty());
  EXPECT_THAT(selectDiverse(forest(), rowsOf({}), 3, 1), IsEmpty());
}
