//===- Tests for observations ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/CandidatePool.h"

#include "ConstrainedSpaces.h"
#include "Spaces.h"

#include <gmock/gmock.h>
#include <limits>

using namespace tonno;

TEST(Observations, KeepsTheOrderAndTheBest) {
  Observations known;
  EXPECT_EQ(known.best(), nullptr);
  known.add(trialOf({{0}}, 2));
  known.add(trialOf({{1}}, std::nullopt));
  known.add(trialOf({{2}}, 1));
  known.add(trialOf({{3}}, 1));
  known.add(trialOf({{4}}, 1.5));
  ASSERT_EQ(known.all().size(), 5u);
  EXPECT_EQ(known.all()[1].configuration, Configuration{{1}});
  EXPECT_FALSE(known.all()[1].ratio);
  EXPECT_EQ(known.best()->configuration, Configuration{{2}}); // the earlier
  std::vector<const Observation *> best = known.best(3);
  ASSERT_EQ(best.size(), 3u);
  EXPECT_EQ(best[1]->configuration, Configuration{{3}});
  EXPECT_EQ(best[2]->configuration, Configuration{{4}});
  EXPECT_EQ(known.best(9).size(), 4u); // failures are never the best
  EXPECT_EQ(known.find({{7}}), nullptr);
  EXPECT_EQ(known.find({{4}})->ratio, 1.5);
}

TEST(Observations, TheLastTrialCounts) {
  Observations known;
  known.add(trialOf({{0}}, 2));
  known.add(trialOf({{0}}, 3));
  ASSERT_EQ(known.all().size(), 1u);
  EXPECT_EQ(known.best()->ratio, 3);
}

TEST(Observations, WhatHasNoPositiveTimeFailed) {
  Observations known;
  known.add(trialOf({{0}}, 0));
  known.add(trialOf({{1}}, -1));
  known.add(trialOf({{2}}, std::numeric_limits<double>::infinity()));
  known.add(trialOf({{3}}, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_EQ(known.best(), nullptr);
}

TEST(FreshPoints, DrawsTheLastOnes) {
  SearchSpace space =
      constrained({{"a", upTo(99)}, {"b", upTo(99)}}, {"a < b"});
  FreshPoints fresh(listLegal(space));
  EXPECT_FALSE(fresh.isFresh({{5, 5}}));
  EXPECT_FALSE(fresh.take({{5, 5}})); // illegal, and takes nothing away
  for (uint32_t a = 0; a < 100; ++a)
    for (uint32_t b = a + 1; b < 100; ++b)
      if (a != 17 || b < 98)
        EXPECT_TRUE(fresh.take({{a, b}}));
  EXPECT_FALSE(fresh.take({{1, 2}}));
  Random random(1);
  std::set<Configuration> drawn;
  for (int i = 0; i < 40; ++i)
    drawn.insert(fresh.draw(random).value());
  EXPECT_EQ(drawn, (std::set<Configuration>{{{17, 98}}, {{17, 99}}}));
  fresh.take({{17, 98}});
  fresh.take({{17, 99}});
  EXPECT_FALSE(fresh.draw(random));
}

TEST(FreshPoints, DrawsNoneWhereNoneIsLegal) {
  FreshPoints fresh(LegalSpace::of(spaceOf({3}), {}));
  Random random(1);
  EXPECT_FALSE(fresh.draw(random));
}
