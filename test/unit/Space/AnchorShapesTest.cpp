//===- Tests for shapes to tune for ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Space/AnchorShapes.h"

#include <gtest/gtest.h>

using namespace tonno;

static std::vector<int64_t> getSizes(const std::vector<AnchorShape> &anchors,
                                     size_t axis = 0) {
  std::vector<int64_t> sizes;
  for (const AnchorShape &anchor : anchors)
    sizes.push_back(anchor.sizes[axis].size);
  return sizes;
}

TEST(AnchorShapes, AnchorsAreEndsAndPowersOfTwo) {
  auto anchors = chooseAnchors(*parseShapes("M=3..20"), 16);
  ASSERT_TRUE(anchors.ok());
  EXPECT_EQ(getSizes(*anchors), (std::vector<int64_t>{3, 4, 8, 16, 20}));
  for (const AnchorShape &anchor : *anchors)
    EXPECT_DOUBLE_EQ(anchor.weight, 0.2);
}

TEST(AnchorShapes, AnchorsAreAtMostAsManyAsAllowed) {
  auto anchors = chooseAnchors(*parseShapes("M=1..1048576"), 4);
  ASSERT_TRUE(anchors.ok());
  EXPECT_EQ(getSizes(*anchors), (std::vector<int64_t>{1, 128, 8192, 1048576}));
  auto grid = chooseAnchors(*parseShapes("M=1..4096, N=7, K=1..4096"), 16);
  ASSERT_TRUE(grid.ok());
  EXPECT_EQ(grid->size(), 16u);
  EXPECT_EQ(getSizes(*grid, 1), std::vector<int64_t>(16, 7));
  EXPECT_EQ(getSizes(*grid, 2)[1], 16);
  EXPECT_EQ(getSizes(*grid, 0)[4], 16);
}

TEST(AnchorShapes, WeightsAreShared) {
  auto anchors =
      chooseAnchors(*parseShapes("M=1..8, weight 0.8 for M <= 2"), 16);
  ASSERT_TRUE(anchors.ok());
  ASSERT_EQ(anchors->size(), 4u);
  EXPECT_DOUBLE_EQ((*anchors)[0].weight, 0.4);
  EXPECT_DOUBLE_EQ((*anchors)[1].weight, 0.4);
  EXPECT_DOUBLE_EQ((*anchors)[3].weight, 0.1);
}

TEST(AnchorShapes, WeightsOfNothingAreRefused) {
  auto findError = [](const char *text) {
    auto anchors = chooseAnchors(*parseShapes(text), 16);
    return anchors ? "" : anchors.error().message;
  };
  EXPECT_EQ(findError("M=1..8, weight 0.8 for M > 9"),
            "the weight for 'M > 9' has no size in the range that is tried");
  EXPECT_EQ(findError("M=1..8, weight 0.8 for N > 9").substr(0, 43),
            "the weight for 'N > 9' cannot be evaluated:");
}

TEST(AnchorShapes, CellsMeetBetweenAnchors) {
  Shapes shapes = *parseShapes("M=2..100, N=4..16");
  auto anchors = chooseAnchors(shapes, 9);
  ASSERT_TRUE(anchors.ok());
  ASSERT_EQ(anchors->size(), 9u);
  DispatchTable table =
      makeTable(shapes, *anchors, {0, 0, 0, 1, 1, 1, 2, 2, 2});
  ASSERT_EQ(table.axes.size(), 2u);
  EXPECT_EQ(table.axes[0].dimension, "M");
  EXPECT_EQ(table.axes[0].least, 2);
  EXPECT_EQ(table.axes[0].bounds.size(), 3u);
  EXPECT_EQ(table.axes[0].bounds.back(), 100);
  EXPECT_EQ(table.axes[1].bounds, (std::vector<int64_t>{5, 11, 16}));
}

TEST(AnchorShapes, ProbesAreBetweenAnchors) {
  Shapes shapes = *parseShapes("M=1..64");
  auto anchors = *chooseAnchors(shapes, 16);
  auto probes = chooseProbes(shapes, anchors);
  EXPECT_EQ(getSizes(probes),
            (std::vector<int64_t>{3, 5, 7, 9, 13, 19, 27, 39, 49, 59}));
  double sum = 0;
  for (const AnchorShape &anchor : anchors)
    sum += anchor.weight;
  for (const AnchorShape &probe : probes)
    sum += probe.weight;
  EXPECT_NEAR(sum, 1, 1e-12);
  for (const AnchorShape &probe : probes)
    EXPECT_EQ(probe.weight, anchors[probe.cell].weight);
}

TEST(AnchorShapes, ListedShapesAreChosenByWeight) {
  Shapes shapes =
      *parseShapeList("M,weight\n1,10\n2,1\n3,1\n5,10\n6,1\n7,1\n100,10\n");
  auto anchors = chooseAnchors(shapes, 4);
  ASSERT_TRUE(anchors.ok());
  EXPECT_EQ(getSizes(*anchors), (std::vector<int64_t>{1, 3, 6, 100}));
  double sum = 0;
  for (const AnchorShape &anchor : *anchors)
    sum += anchor.weight;
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_EQ(getSizes(chooseProbes(shapes, *anchors)),
            (std::vector<int64_t>{2, 5, 7}));
}
