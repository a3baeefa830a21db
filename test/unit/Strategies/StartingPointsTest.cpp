//===- Given points first -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/SearchStrategy.h"
#include "EnsembleSearch.h"
#include "RandomSearch.h"

#include "Search/Spaces.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::ElementsAre;

static StartingPoints startAt(const SearchSpace &space,
                              std::vector<Configuration> points) {
  return {std::move(points),
          std::make_unique<RandomSearch>(LegalSpace::create(space), 1)};
}

TEST(StartingPoints, ComeFirstAndTheRestFollowsOnce) {
  SearchSpace space = spaceOf({4, 5});
  StartingPoints search = startAt(space, {{{3, 1}}, {{0, 2}}});
  EXPECT_THAT(search.propose(1), ElementsAre(Configuration{{3, 1}}));
  std::vector<Configuration> order = search.propose(3);
  EXPECT_EQ(order.front(), (Configuration{{0, 2}}));
  std::vector<Configuration> rest = exhaust(search, 4);
  order.insert(order.end(), rest.begin(), rest.end());
  order.push_back({{3, 1}});
  EXPECT_EQ(order.size(), 20u);
  EXPECT_EQ(countDistinct(order), 20u);
}

TEST(StartingPoints, AreNotProposedTwiceNorWhereTheyAreTheBaseline) {
  SearchSpace space = spaceOf({4});
  StartingPoints search = startAt(space, {{{0}}, {{2}}, {{2}}});
  observe(search, {{{0}}});
  EXPECT_THAT(search.propose(2).front(), Configuration{{2}});
  EXPECT_EQ(exhaust(search, 2).size(), 1u); // of 4: one more was proposed
}

TEST(StartingPoints, ObservationsReachTheStrategy) {
  SearchSpace space = spaceOf({3});
  StartingPoints search = startAt(space, {{{1}}});
  observe(search, {{{0}}, {{2}}});
  EXPECT_THAT(exhaust(search, 5), ElementsAre(Configuration{{1}}));
}

TEST(StartingPoints, HaveReasonsOfTheirOwn) {
  struct Reasoning : RandomSearch {
    using RandomSearch::RandomSearch;
    std::string explain(const Configuration &) const override {
      return "drawn";
    }
  };
  SearchSpace space = spaceOf({3});
  std::vector<StartingPoint> points = {{{{1}}, "known"}};
  StartingPoints search(std::move(points), std::make_unique<Reasoning>(
                                               LegalSpace::create(space), 1));
  EXPECT_EQ(search.explain(search.propose(1).front()), "known");
  EXPECT_EQ(search.explain(search.propose(1).front()), "drawn");
}

TEST(StartingPoints, TheirReasonIsThatTheyWereGiven) {
  SearchSpace space = spaceOf({4, 5});
  StartingPoints search = {
      {{{3, 1}}},
      std::make_unique<EnsembleSearch>(LegalSpace::create(space), 1)};
  std::vector<Configuration> proposed = search.propose(2);
  EXPECT_EQ(search.explain(proposed.at(0)), "a starting point");
  EXPECT_EQ(search.explain(proposed.at(1)), "far from all before");
}
