//===- The strategies by name ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/SearchStrategy.h"
#include "tonno/Strategies/Strategies.h"

#include "ConstrainedSpaces.h"
#include "Search/Spaces.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::AllOf;
using testing::HasSubstr;

/// Properties of every strategy.
class AnyStrategy : public testing::TestWithParam<std::string_view> {};

TEST_P(AnyStrategy, IsCompleteDistinctAndDeterministic) {
  SearchSpace space = spaceOf({4, 9});
  std::vector<Configuration> orders[2];
  for (std::vector<Configuration> &order : orders) {
    auto strategy = createStrategy(GetParam(), LegalSpace::create(space), 7);
    ASSERT_TRUE(strategy.ok());
    observe(**strategy, {space.defaultConfiguration()});
    order = exhaust(**strategy, 3);
    EXPECT_EQ(order.size(), 35u);
    EXPECT_EQ(countDistinct(order), 35u);
    EXPECT_THAT(order,
                testing::Not(testing::Contains(space.defaultConfiguration())));
  }
  EXPECT_EQ(orders[0], orders[1]);
}

TEST_P(AnyStrategy, ProposesEachLegalPointOnce) {
  SearchSpace space =
      constrained({{"a", upTo(8)}, {"b", upTo(8)}, {"c", {"x", "y"}}},
                  {"a * b mod 4 == 0, a < b", "c == 'x' or a == 0"});
  std::set<Configuration> legal;
  for (uint64_t i = 0; i < space.size(); ++i)
    if (space.isLegal(space.at(i)))
      legal.insert(space.at(i));
  auto strategy = createStrategy(GetParam(), LegalSpace::create(space), 3);
  ASSERT_TRUE(strategy.ok());
  std::vector<Configuration> points = exhaust(**strategy, 5);
  EXPECT_EQ(points.size(), legal.size());
  EXPECT_EQ(std::set<Configuration>(points.begin(), points.end()), legal);
}

TEST_P(AnyStrategy, ProposesNoneWhereNoneIsLegal) {
  SearchSpace space =
      constrained({{"a", upTo(8)}, {"b", upTo(8)}}, {"a < b", "b < a"});
  auto strategy = createStrategy(GetParam(), LegalSpace::create(space), 3);
  ASSERT_TRUE(strategy.ok());
  EXPECT_TRUE((*strategy)->propose(3).empty());
  EXPECT_TRUE((*strategy)->propose(3).empty());
}

INSTANTIATE_TEST_SUITE_P(Strategies, AnyStrategy,
                         testing::ValuesIn(strategyNames()),
                         [](const auto &info) {
                           std::string name(info.param);
                           std::erase(name, '-');
                           return name;
                         });

TEST(CreateStrategy, PassesTheSeedOn) {
  SearchSpace space = spaceOf({1000});
  auto one = createStrategy("random", LegalSpace::create(space), 1);
  auto other = createStrategy("random", LegalSpace::create(space), 2);
  EXPECT_NE((*one)->propose(5), (*other)->propose(5));
}

TEST(CreateStrategy, UnknownNameListsTheKnownOnes) {
  auto strategy =
      createStrategy("no-such", LegalSpace::create(SearchSpace()), 0);
  ASSERT_FALSE(strategy.ok());
  EXPECT_THAT(strategy.error().message,
              AllOf(HasSubstr("'no-such'"), HasSubstr("exhaustive, forest")));
}
