//===- Tests for sizes that depend on knobs -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Space/SizeExpression.h"

#include <gtest/gtest.h>

using namespace tonno;

static const std::vector<Knob> knobs = {{"TS", {8, 16}}, {"WPT", {1, 4, 0}}};

static uint64_t valueOf(const std::string &text, const Configuration &at) {
  auto size = SizeExpression::parse(text, knobs);
  EXPECT_TRUE(size.ok()) << text;
  auto value = size->evaluate(at);
  EXPECT_TRUE(value.ok()) << text;
  return value.ok() ? *value : 0;
}

static std::string errorOf(const std::string &text) {
  auto size = SizeExpression::parse(text, knobs);
  EXPECT_FALSE(size.ok()) << text;
  return size.ok() ? "" : size.error().message;
}

TEST(SizeExpression, IsComputedFromKnobs) {
  EXPECT_EQ(valueOf("1024", {{0, 0}}), 1024u);
  EXPECT_EQ(valueOf(" 1024 / TS / WPT ", {{1, 1}}), 16u);
  EXPECT_EQ(valueOf("1000 ceildiv TS * TS", {{1, 0}}), 1008u);
  EXPECT_EQ(valueOf("(TS + 1) * (TS + 1) - 1", {{0, 0}}), 80u);
  EXPECT_EQ(valueOf("if TS == 16 then 3 else WPT", {{1, 0}}), 3u);
}

TEST(SizeExpression, RefusesWhatIsNoSize) {
  EXPECT_EQ(errorOf(""), "a size is missing");
  EXPECT_NE(errorOf("TS *").find("'TS *' is not a size: "), std::string::npos);
  EXPECT_NE(errorOf("BM").find("BM"), std::string::npos);
  EXPECT_NE(errorOf("TS == 8").find("is not a size"), std::string::npos);
  EXPECT_NE(errorOf("1) >= 1 or (TS").find("is not a size"), std::string::npos);
}

TEST(SizeExpression, IsAtLeastOne) {
  for (auto [text, why] :
       {std::pair("WPT", "'WPT' is 0; a size is at least 1"),
        std::pair("WPT - 1", "'WPT - 1' is -1; a size is at least 1"),
        std::pair("8 / WPT", "'8 / WPT' divides by zero, or is too large")}) {
    auto size = SizeExpression::parse(text, knobs);
    ASSERT_TRUE(size.ok());
    auto value = size->evaluate({{0, 2}});
    ASSERT_FALSE(value.ok());
    EXPECT_EQ(value.error().message, why);
  }
}

TEST(SizeExpression, HasCommasInLists) {
  auto sizes = SizeExpression::parseList("64, 64 / WPT,TS", knobs);
  ASSERT_TRUE(sizes.ok());
  ASSERT_EQ(sizes->size(), 3u);
  EXPECT_EQ((*sizes)[1].text(), "64 / WPT");
  EXPECT_FALSE(SizeExpression::parseList("64,", knobs).ok());
}

TEST(SizeExpression, MayNameDimensions) {
  std::vector<Dimension> sizes = {{"N", 100}};
  auto size = SizeExpression::parse("N ceildiv 8 * 8", {}, sizes);
  ASSERT_TRUE(size.ok()) << size.error().message;
  EXPECT_EQ(*size->evaluate({}), 104u);
}
