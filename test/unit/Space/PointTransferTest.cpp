//===- Points of one space in another -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Space/LegalSpace.h"
#include "ConstrainedSpaces.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::Optional;

namespace {

std::optional<Json> transferred(const SearchSpace &space, const Json &values) {
  auto point = PointTransfer(LegalSpace::create(space)).transfer(values);
  return point ? std::optional(space.values(*point)) : std::nullopt;
}

} // namespace

TEST(PointTransfer, TakesWhatTheSpaceHas) {
  SearchSpace space = constrained(
      {{"a", {4, 8, 16}, 0}, {"tail", {"mask", "split"}, 0}}, {"a > 4"});
  EXPECT_THAT(transferred(space, {{"a", 8}, {"tail", "split"}}),
              Optional(Json{{"a", 8}, {"tail", "split"}}));
}

TEST(PointTransfer, TakesTheNearestNumberByRatio) {
  SearchSpace space = constrained({{"a", {4, 16, 64}, 0}}, {});
  EXPECT_THAT(transferred(space, {{"a", 512}}), Optional(Json{{"a", 64}}));
  EXPECT_THAT(transferred(space, {{"a", 28}}), Optional(Json{{"a", 16}}));
  EXPECT_THAT(transferred(space, {{"a", 36}}), Optional(Json{{"a", 64}}));
  EXPECT_THAT(transferred(space, {{"a", 0}}), Optional(Json{{"a", 4}}));
}

TEST(PointTransfer, LeavesOutWhatHasNothingNear) {
  SearchSpace space =
      constrained({{"a", {4, 8}, 0}, {"tail", {"mask", "split"}, 0}}, {});
  for (const Json &values :
       {Json{{"a", 4}, {"tail", "pad"}}, Json{{"a", "4"}, {"tail", "mask"}},
        Json{{"a", 4}}, Json{{"a", 4}, {"tail", "mask"}, {"b", 1}},
        Json{{"a", 4}, {"end", "mask"}}, Json(5), Json(), Json{4, "mask"}})
    EXPECT_EQ(transferred(space, values), std::nullopt) << values;
}

TEST(PointTransfer, RepairsWhatIsIllegal) {
  SearchSpace space =
      constrained({{"a", powersOfTwo(1, 64), 0}, {"b", powersOfTwo(1, 64), 0}},
                  {"a * b <= 64"});
  auto values = transferred(space, {{"a", 64}, {"b", 2}});
  ASSERT_TRUE(values);
  EXPECT_TRUE(space.configuration(*values).ok());
  EXPECT_LE(std::abs((*values)["a"].get<int>() / 32 - 1), 1) << *values;
}

TEST(PointTransfer, OfAnEmptySpaceIsNone) {
  SearchSpace space = constrained({{"a", {4, 8}, 0}}, {"a > 8"});
  EXPECT_EQ(transferred(space, {{"a", 4}}), std::nullopt);
}
