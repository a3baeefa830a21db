//===- Numbers of points of a space ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Space/SearchSpace.h"

#include <gtest/gtest.h>
#include <limits>

using namespace tonno;

static SearchSpace spaceOfBooleans(size_t knobs) {
  std::vector<Knob> list;
  for (size_t i = 0; i < knobs; ++i)
    list.push_back({"K" + std::to_string(i), {false, true}, 0});
  return SearchSpace(std::move(list));
}

TEST(PointCount, IsExactUpTo2To64) {
  EXPECT_EQ(formatCount(0), "0");
  EXPECT_EQ(formatCount(spaceOfBooleans(63).count()), "9223372036854775808");
  EXPECT_EQ(formatCount(std::numeric_limits<uint64_t>::max()),
            "18446744073709551615");
  EXPECT_EQ(formatCount(spaceOfBooleans(64).count()), "18446744073709551616");
  for (size_t knobs : {65u, 128u, 1024u, 3000u})
    EXPECT_EQ(formatCount(spaceOfBooleans(knobs).count()), "over 2^64");
  EXPECT_EQ(spaceOfBooleans(65).size(), std::numeric_limits<uint64_t>::max());
}

TEST(PointCount, IsANumberInJsonIfItFits) {
  EXPECT_EQ(countToJson(PointCount(1) << 63).dump(), "9223372036854775808");
  EXPECT_EQ(countToJson(PointCount(1) << 64), Json(0x1p64));
  EXPECT_EQ(countToJson(~PointCount(0)), Json("over 2^64"));
  EXPECT_EQ(countToJson(12.5), Json(12.5));
  EXPECT_EQ(countToJson(1e300), Json(1e300));
  EXPECT_EQ(countToJson(std::numeric_limits<double>::infinity()),
            Json("over 2^64"));
}
