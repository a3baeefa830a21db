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

TEST(Shapes, ListsHaveRangesAndWeights) {
  Shapes expected = {{{"M", 3, 64}, {"N", 8, 8}},
                     {},
                     {{{{"M", 64}, {"N", 8}}, 5}, {{{"M", 3}, {"N", 8}}, 0.5}}};
  auto csv = parseShapeList("M, N, weight\n64,8,3\n\n3, 8, 0.5\n"
                            "# of another process\nM,N,weight\n64,8,2\n");
  ASSERT_TRUE(csv.ok()) << csv.error().message;
  EXPECT_EQ(*csv, expected);
  auto json = parseShapeList(R"([{"M": 64, "N": 8, "weight": 5},
                                 {"weight": 0.5, "M": 3, "N": 8}])");
  ASSERT_TRUE(json.ok()) << json.error().message;
  EXPECT_EQ(*json, expected);
  auto plain = parseShapeList("M\n7\n");
  ASSERT_TRUE(plain.ok());
  EXPECT_FALSE(plain->areFixed());
  EXPECT_EQ(plain->listed.front().weight, 1);
}

TEST(Shapes, RangesAndListsAreJoined) {
  auto join = [](const char *known, const char *added) {
    return formatShapes(
        joinShapes(*parseStatedShapes(known), *parseStatedShapes(added)));
  };
  EXPECT_EQ(join("M=8..64, N=3", "M=1..16, N=5"), "M=1..64, N=3..5");
  EXPECT_EQ(join("M=8..64", "M=100..200"), "M=8..200");
  EXPECT_EQ(join("M=1..8, weight 0.5 for M < 3", "M=1..9"),
            "M=1..9, weight 0.5 for M < 3");
  EXPECT_EQ(
      join("M=1..8, weight 0.5 for M < 3", "M=1..9, weight 0.1 for M == 1"),
      "M=1..9, weight 0.1 for M == 1");
  EXPECT_EQ(join("M=1..8", "N=1..9"), "N=1..9");
  EXPECT_EQ(join("M=1..8", R"([{"M": 20}])"), R"([{"M":20,"weight":1.0}])");
  EXPECT_EQ(join(R"([{"M": 3, "weight": 2}, {"M": 4}])", R"([{"M": 4}])"),
            R"([{"M":4,"weight":1.0},{"M":3,"weight":2.0}])");
}

TEST(Shapes, ErrorsOfListsNameTheLine) {
  auto findError = [](const char *text) {
    auto shapes = parseShapeList(text);
    return shapes ? "" : shapes.error().message;
  };
  EXPECT_EQ(findError(""), "no shapes are listed");
  EXPECT_EQ(findError("M,N\n"), "no shapes are listed");
  EXPECT_EQ(findError("3,4\n"),
            "line 1, '3,4', has no names of dimensions; write M,N,weight");
  EXPECT_EQ(findError("M,N\n3\n"), "line 2, '3', has 1 numbers for 2 columns");
  EXPECT_EQ(findError("M,N\n3,x\n"),
            "line 2, '3,x', has no positive size of N");
  EXPECT_EQ(findError("M,weight\n3,-1\n"),
            "line 2, '3,-1', has no positive weight");
  EXPECT_EQ(findError("weight\n3\n"),
            "all shapes need sizes of the same dimensions, in the same order");
  EXPECT_EQ(findError("[3]"), "shape 0 has no names; write {\"M\": 64}");
  EXPECT_EQ(findError("[{\"M\": 0}]"),
            "shape 0 has no positive number for 'M'");
  EXPECT_EQ(findError("[{\"M\": 1}, {\"N\": 1}]"),
            "all shapes need sizes of the same dimensions, in the same order");
}

TEST(Shapes, TextsAreReadAgain) {
  for (const char *text :
       {"M=1..8192, K=8, weight 0.8 for M <= 32 and M mod 8 == 0", "M=64"}) {
    auto shapes = parseStatedShapes(text);
    ASSERT_TRUE(shapes.ok());
    EXPECT_EQ(formatShapes(*shapes), text);
  }
  auto listed = parseShapeList("M,N,weight\n64,8,3\n3,8,0.5\n");
  auto again = parseStatedShapes(formatShapes(*listed));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(*again, *listed);
}
