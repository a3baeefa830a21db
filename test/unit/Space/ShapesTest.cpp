//===- Tests for sizes of dynamic dimensions ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Space/Shapes.h"

#include <gtest/gtest.h>

using namespace tonno;

TEST(Shapes, SizesHaveNames) {
  std::vector<Dimension> expected = {{"M", 64}, {"batch_size", 1}};
  auto sizes = parseSizes(" M=64 ,batch_size = 1");
  ASSERT_TRUE(sizes.ok());
  EXPECT_EQ(*sizes, expected);
}

TEST(Shapes, ErrorsQuoteThePart) {
  auto findError = [](const char *text) {
    auto sizes = parseSizes(text);
    return sizes ? "" : sizes.error().message;
  };
  EXPECT_EQ(findError(""),
            "'' does not give a dimension its size; write M=64 or M=1..8192");
  EXPECT_EQ(findError("M=4, 8"),
            "'8' does not give a dimension its size; write M=64 or M=1..8192");
  EXPECT_EQ(findError("M=4,"),
            "'' does not give a dimension its size; write M=64 or M=1..8192");
  EXPECT_EQ(findError("2M=4"),
            "'2M=4' does not give a dimension its size; write M=64 or "
            "M=1..8192");
  for (const char *size : {"", "0", "-1", "4x", "4.5", "0x10", "1..", "..8",
                           "9223372036854775808"})
    EXPECT_EQ(findError(("M=" + std::string(size)).c_str()),
              "'M=" + std::string(size) + "' has no positive size; write M=64");
  EXPECT_EQ(findError("M=4, N=3, M=4"),
            "dimension 'M' has two sizes; give it one, or a range");
  EXPECT_EQ(findError("M=1..8"), "a range of sizes has no use here; give each "
                                 "dimension one size");
}

TEST(Shapes, RangesHaveWeights) {
  auto shapes = parseShapes(
      "M=1..8192, N in 1 .. 64,K=8, weight 0.8 for M <= 32 and N mod 8 == 0");
  ASSERT_TRUE(shapes.ok());
  Shapes expected = {{{"M", 1, 8192}, {"N", 1, 64}, {"K", 8, 8}},
                     {{0.8, "M <= 32 and N mod 8 == 0"}}};
  EXPECT_EQ(*shapes, expected);
  EXPECT_FALSE(shapes->areFixed());
  std::vector<Dimension> least = {{"M", 1}, {"N", 1}, {"K", 8}};
  EXPECT_EQ(shapes->sizes(), least);
}

TEST(Shapes, BadRangesAreRefused) {
  auto findError = [](const char *text) {
    auto shapes = parseShapes(text);
    return shapes ? "" : shapes.error().message;
  };
  EXPECT_EQ(findError("M=8..4"),
            "'M=8..4' is empty; write the smaller size first");
  EXPECT_EQ(findError("M=-4..4"), "'M=-4..4' has no positive size; write M=64");
  EXPECT_EQ(findError("M=0..4"), "'M=0..4' has no positive size; write M=64");
  EXPECT_EQ(findError("M=1..8, weight 2 for M < 3"),
            "'weight 2 for M < 3' gives no weight above 0 and at most 1; write "
            "'weight 0.8 for M <= 32'");
  EXPECT_EQ(findError("M=1..8, weight 0.5"),
            "'weight 0.5' gives no weight above 0 and at most 1; write 'weight "
            "0.8 for M <= 32'");
  EXPECT_EQ(findError("M=1..8, weight 0.5 for M <"),
            "'weight 0.5 for M <' has no condition: column 4: expected a knob, "
            "an integer, a string or `(`, but found the end");
  EXPECT_EQ(findError("M=1..8, weight 0.6 for M < 3, weight 0.6 for M > 3"),
            "the weights are more than 1 together; they are shares of all "
            "calls");
  EXPECT_EQ(findError("weight 0.6 for M < 3"),
            "no dimension has a size; write M=64 or M=1..8192");
}

static std::vector<int64_t> getSizes(const std::vector<AnchorShape> &anchors,
                                     size_t axis = 0) {
  std::vector<int64_t> sizes;
  for (const AnchorShape &anchor : anchors)
    sizes.push_back(anchor.sizes[axis].size);
  return sizes;
}

TEST(Shapes, AnchorsAreEndsAndPowersOfTwo) {
  auto anchors = chooseAnchors(*parseShapes("M=3..20"), 16);
  ASSERT_TRUE(anchors.ok());
  EXPECT_EQ(getSizes(*anchors), (std::vector<int64_t>{3, 4, 8, 16, 20}));
  for (const AnchorShape &anchor : *anchors)
    EXPECT_DOUBLE_EQ(anchor.weight, 0.2);
}

TEST(Shapes, AnchorsAreAtMostAsManyAsAllowed) {
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

TEST(Shapes, WeightsAreShared) {
  auto anchors =
      chooseAnchors(*parseShapes("M=1..8, weight 0.8 for M <= 2"), 16);
  ASSERT_TRUE(anchors.ok());
  ASSERT_EQ(anchors->size(), 4u);
  EXPECT_DOUBLE_EQ((*anchors)[0].weight, 0.4);
  EXPECT_DOUBLE_EQ((*anchors)[1].weight, 0.4);
  EXPECT_DOUBLE_EQ((*anchors)[3].weight, 0.1);
}

TEST(Shapes, WeightsOfNothingAreRefused) {
  auto findError = [](const char *text) {
    auto anchors = chooseAnchors(*parseShapes(text), 16);
    return anchors ? "" : anchors.error().message;
  };
  EXPECT_EQ(findError("M=1..8, weight 0.8 for M > 9"),
            "the weight for 'M > 9' has no size in the range that is tried");
  EXPECT_EQ(findError("M=1..8, weight 0.8 for N > 9").substr(0, 43),
            "the weight for 'N > 9' cannot be evaluated:");
}

TEST(Shapes, CellsMeetBetweenAnchors) {
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

TEST(Shapes, ProbesAreBetweenAnchors) {
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
