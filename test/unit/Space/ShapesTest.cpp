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
  EXPECT_EQ(findError(""), "'' does not give a dimension its size; write M=64");
  EXPECT_EQ(findError("M=4, 8"),
            "'8' does not give a dimension its size; write M=64");
  EXPECT_EQ(findError("M=4,"),
            "'' does not give a dimension its size; write M=64");
  EXPECT_EQ(findError("2M=4"),
            "'2M=4' does not give a dimension its size; write M=64");
  for (const char *size :
       {"", "0", "-1", "4x", "4.5", "0x10", "1..8", "9223372036854775808"})
    EXPECT_EQ(findError(("M=" + std::string(size)).c_str()),
              "'M=" + std::string(size) + "' has no positive size; write M=64");
  EXPECT_EQ(findError("M=4, N=3, M=4"),
            "dimension 'M' has two sizes; give it one");
}
