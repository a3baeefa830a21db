// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Prior/PredictFastest.h"
#include "tonno/Prior/PriorSearch.h"
#include "Prior/MadeSources.h"

#include <gtest/gtest.h>

using namespace tonno;

/// Predicts for the space of `makeSource`'s tiles, with this default.
static std::optional<PredictedConfiguration>
predict(std::vector<PriorSource> sources, int64_t rows, int64_t columns,
        KernelFeatures features = makeProduct(512), double coverage = 0.95) {
  Knob ofColumns = {"NR", {4, 8, 16, 32, 64}},
       ofRows = {"MR", {1, 2, 4, 8, 16, 32}};
  ofColumns.defaultIndex = ofColumns.findOptionIndex(columns).value();
  ofRows.defaultIndex = ofRows.findOptionIndex(rows).value();
  SearchSpace space({ofColumns, ofRows});
  Prior prior;
  prior.sources = std::move(sources);
  prior.coverage = coverage;
  return predictFastest(space, prior,
                        makePriorTask(space, std::move(features), "a"), 0);
}

TEST(PredictFastest, FindsTheBestThatSourcesKnow) {
  auto found =
      predict({makeSource("small", 256), makeSource("large", 1024)}, 1, 4);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->configuration, (Configuration{{2, 3}})); // 8 x 16
  double loss = computeLoss(1, 4);
  EXPECT_NEAR(std::log(found->speedup), loss, loss / 2);
}

TEST(PredictFastest, KeepsADefaultThatSourcesFindBest) {
  EXPECT_FALSE(
      predict({makeSource("small", 256), makeSource("large", 1024)}, 8, 16));
}

TEST(PredictFastest, KeepsTheDefaultWhereSourcesDisagree) {
  PriorSource one = makeSource("one", 256);
  PriorSource other = makeSource("other", 256, "a", /*isOpposite=*/true);
  EXPECT_FALSE(predict({one, other}, 8, 4));
}

TEST(PredictFastest, ClaimsNothingForOtherChips) {
  EXPECT_FALSE(predict({makeSource("small", 256, "b")}, 1, 4));
}

TEST(PredictFastest, KnowsNothingOfUnrelatedKernels) {
  KernelFeatures other = makeProduct(512);
  other.ops.front().kind = "elementwise";
  EXPECT_FALSE(predict({makeSource("small", 256)}, 1, 4, other));
  EXPECT_FALSE(predict({}, 1, 4));
}

TEST(PredictFastest, DoesNotAddUpOpsOfOtherKernels) {
  KernelFeatures two = makeProduct(512);
  two.ops.push_back(two.ops.front());
  EXPECT_FALSE(predict({makeSource("small", 256)}, 1, 4, two));
}

TEST(PredictFastest, ClaimsNothingIfThePriorIsNotCalibrated) {
  EXPECT_FALSE(predict({makeSource("small", 256), makeSource("large", 1024)}, 1,
                       4, makeProduct(512), 0.8));
}
