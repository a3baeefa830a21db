//===- The best of a recording, for another -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "search/Figures.h"

#include "Search/RecordedFiles.h"

using namespace tonno;
using testing::ElementsAre;

static std::shared_ptr<const LegalSpace> legal(const Recording &recording) {
  return LegalSpace::of(recording.space(), recording.points());
}

TEST(Sibling, ItsBestComeFirst) {
  Recording sibling = accepted("a,b,time_ms\n1,1,5\n4,1,3\n2,1,4\n2,2,1\n"
                               "4,2,\n1,2,2\n");
  // The knobs are in another order, without 2,2 and without the option 4.
  auto space = legal(accepted("b,a,time_ms\n2,1,7\n1,1,7\n1,2,7\n2,3,7\n"));
  EXPECT_THAT(bestOfSibling(sibling, *space, 2),
              ElementsAre(*space->space().configuration({{"a", 1}, {"b", 2}}),
                          *space->space().configuration({{"a", 2}, {"b", 1}})));
  EXPECT_EQ(bestOfSibling(sibling, *space, 9).size(), 3u);
}

TEST(Sibling, OfOtherKnobsThereIsNone) {
  Recording sibling = accepted("a,b,time_ms\n1,1,5\n");
  for (const char *other : {"a,time_ms\n1,5\n", "a,b,c,time_ms\n1,1,1,5\n"})
    EXPECT_TRUE(bestOfSibling(sibling, *legal(accepted(other)), 3).empty());
}
