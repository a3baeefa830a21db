//===- Why a space is empty -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Space/LegalSpace.h"
#include "ConstrainedSpaces.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::ElementsAre;
using testing::Optional;

namespace {

std::vector<Knob> threeKnobs() {
  return {{"a", powersOfTwo(1, 64), 0},
          {"b", powersOfTwo(1, 64), 0},
          {"c", upTo(7), 0}};
}

} // namespace

TEST(ConstraintConflict, IsNoneWhereSomethingIsLegal) {
  EXPECT_EQ(conflictingConstraints(constrained(threeKnobs(), {"a <= b"})),
            std::nullopt);
  EXPECT_EQ(conflictingConstraints(constrained(threeKnobs(), {})),
            std::nullopt);
}

TEST(ConstraintConflict, NamesTheOneThatNothingSatisfies) {
  EXPECT_THAT(conflictingConstraints(constrained(
                  threeKnobs(), {"a <= b", "c > 9", "b <= 32", "c < 5"})),
              Optional(ElementsAre(1)));
}

TEST(ConstraintConflict, NamesThoseThatExcludeEachOther) {
  EXPECT_THAT(conflictingConstraints(
                  constrained(threeKnobs(), {"a * b >= 2048", "c != 3",
                                             "b <= 16", "c mod 2 == 0"})),
              Optional(ElementsAre(0, 2)));
  // If one of the three is removed, the others can be satisfied.
  EXPECT_THAT(
      conflictingConstraints(constrained(
          threeKnobs(), {"c <= 6", "a > b", "c >= 1", "b > c", "c >= a"})),
      Optional(ElementsAre(1, 3, 4)));
}

TEST(ConstraintConflict, KeepsWhatOthersNeedToBeDefined) {
  auto conflict = conflictingConstraints(
      constrained(threeKnobs(), {"c > 0", "12 floordiv c > 12"}));
  EXPECT_THAT(conflict, Optional(ElementsAre(0, 1)));
}
