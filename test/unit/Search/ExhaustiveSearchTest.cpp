//===- Every point once ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/SearchStrategy.h"

#include "ConstrainedSpaces.h"
#include "Spaces.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::Contains;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

TEST(ExhaustiveSearch, ProposesEveryPointOnceInOrder) {
  SearchSpace space = spaceOf({3, 4, 5});
  for (size_t n : {1, 7, 60, 100}) {
    ExhaustiveSearch search(*LegalSpace::create(space));
    std::vector<Configuration> points = exhaust(search, n);
    ASSERT_THAT(points, SizeIs(60)) << n;
    for (size_t i = 0; i < points.size(); ++i)
      EXPECT_EQ(points[i], space.at(i));
    EXPECT_THAT(search.propose(1), IsEmpty());
  }
}

TEST(ExhaustiveSearch, GivesAsManyAsAskedFor) {
  SearchSpace space = spaceOf({3, 4});
  ExhaustiveSearch search(*LegalSpace::create(space));
  EXPECT_THAT(search.propose(0), IsEmpty());
  EXPECT_THAT(search.propose(5), SizeIs(5));
  EXPECT_THAT(search.propose(100), SizeIs(7));
}

TEST(ExhaustiveSearch, SkipsWhatWasObserved) {
  SearchSpace space = spaceOf({3, 4});
  ExhaustiveSearch search(*LegalSpace::create(space));
  observe(search, {space.at(0), space.at(11)});
  std::vector<Configuration> points = search.propose(3);
  observe(search, {space.at(7)}, Status::wrong);
  for (const Configuration &point : exhaust(search, 2))
    points.push_back(point);
  EXPECT_EQ(countDistinct(points), 9u);
  for (size_t seen : {0, 7, 11})
    EXPECT_THAT(points, Not(Contains(space.at(seen))));
}

TEST(ExhaustiveSearch, SpaceWithoutKnobsHasOnePoint) {
  SearchSpace space;
  ExhaustiveSearch search(*LegalSpace::create(space));
  EXPECT_THAT(search.propose(5), SizeIs(1));
  EXPECT_THAT(search.propose(5), IsEmpty());
}

TEST(ExhaustiveSearch, ProposesLegalPointsOnly) {
  SearchSpace space = constrained({{"a", upTo(9)}, {"b", upTo(9)}},
                                  {"a mod 3 == 0", "a + b > 16"});
  ExhaustiveSearch search(*LegalSpace::create(space));
  EXPECT_THAT(exhaust(search, 2),
              testing::ElementsAre(space.at(98), space.at(99)));
}

TEST(ExhaustiveSearch, OfASpaceWithoutLegalPointsProposesNone) {
  ExhaustiveSearch search(
      *LegalSpace::create(constrained({{"a", upTo(9)}}, {"a > 9"})));
  EXPECT_THAT(search.propose(1), IsEmpty());
}

TEST(ExhaustiveSearch, OfASpaceTooLargeToCountProposesLegalPoints) {
  std::vector<Knob> knobs;
  for (int i = 0; i < 16; ++i)
    knobs.push_back({"k" + std::to_string(i), upTo(255)});
  SearchSpace space = constrained(knobs, {"k0 + k15 == 510", "k1 > 254"});
  ExhaustiveSearch search(*LegalSpace::create(space));
  std::vector<Configuration> points = search.propose(300);
  EXPECT_EQ(countDistinct(points), 300u);
  for (const Configuration &point : points)
    EXPECT_TRUE(space.isLegal(point));
}

TEST(ExhaustiveSearch, OfAListProposesItInOrder) {
  SearchSpace space = spaceOf({3, 4});
  ExhaustiveSearch search(
      *LegalSpace::of(space, {space.at(7), space.at(2), space.at(11)}));
  EXPECT_THAT(exhaust(search, 2),
              testing::ElementsAre(space.at(2), space.at(7), space.at(11)));
}
