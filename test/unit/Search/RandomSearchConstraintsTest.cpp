//===- RandomSearchConstraintsTest.cpp - Uniform over legal points --------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Search/RandomSearch.h"
#include "ConstrainedSpaces.h"
#include "Spaces.h"

#include <gmock/gmock.h>
#include <map>

using namespace tonno;
using testing::IsEmpty;
using testing::SizeIs;

/// 24 of 4 * 81 points are legal.
static SearchSpace sparseSpace() {
  return constrained({{"a", upTo(8)}, {"b", upTo(8)}, {"c", upTo(3)}},
                     {"a + b == 7", "c != 1"});
}

/// Chi-square over the legal points of what `draw` gives for each of 24000
/// seeds; 24 legal points make 23 degrees of freedom, for which 62 is exceeded
/// once in 50000. The seeds are fixed.
template <typename Draw>
static double chiSquare(RandomSearch::Limits limits, Draw draw) {
  constexpr int seeds = 24000;
  SearchSpace space = sparseSpace();
  std::map<Configuration, int> counts;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    RandomSearch search(space, seed, limits);
    ++counts[draw(search)];
  }
  double sum = 0;
  for (const auto &[point, count] : counts) {
    EXPECT_TRUE(space.isLegal(point));
    sum += (count - 1000.0) * (count - 1000.0) / 1000.0;
  }
  EXPECT_THAT(counts, SizeIs(24));
  return sum;
}

static Configuration first(RandomSearch &search) {
  return search.propose(1).front();
}
static Configuration ninth(RandomSearch &search) {
  return search.propose(9).back();
}

// Points are drawn, listed, or of a list that holds some of them only.
static constexpr RandomSearch::Limits drawn = {};
static constexpr RandomSearch::Limits listed = {0, 1000000, 1000, 0};
static constexpr RandomSearch::Limits someListed = {0, 1000000, 4, 0};

TEST(RandomSearchConstraints, LegalPointsAreDrawnUniformly) {
  EXPECT_LT(chiSquare(drawn, first), 62);
  EXPECT_LT(chiSquare(drawn, ninth), 62);
}

TEST(RandomSearchConstraints, LegalPointsAreListedUniformly) {
  EXPECT_LT(chiSquare(listed, first), 62);
  EXPECT_LT(chiSquare(listed, ninth), 62);
}

TEST(RandomSearchConstraints, SomeOfTheListAreUniform) {
  EXPECT_LT(chiSquare(someListed, first), 62);
  EXPECT_LT(chiSquare(someListed, ninth), 62);
}

TEST(RandomSearchConstraints, EveryLimitGivesEachLegalPointOnce) {
  SearchSpace space = sparseSpace();
  std::set<Configuration> legal;
  for (uint64_t i = 0; i < space.size(); ++i)
    if (space.isLegal(space.at(i)))
      legal.insert(space.at(i));
  for (RandomSearch::Limits limits : {drawn, listed, someListed}) {
    RandomSearch search(space, 5, limits);
    Configuration baseline = space.at(28); // a = 0, b = 7, c = 0
    observe(search, {baseline});
    std::vector<Configuration> points = search.propose(3);
    // Another one becomes known while the list is there.
    std::set<Configuration> left = legal;
    left.erase(baseline);
    for (const Configuration &point : points)
      EXPECT_EQ(left.erase(point), 1u);
    observe(search, {*left.begin()}, Status::wrong);
    left.erase(left.begin());
    points = exhaust(search, 2);
    EXPECT_EQ(points.size(), left.size());
    EXPECT_EQ(std::set<Configuration>(points.begin(), points.end()), left);
  }
}

TEST(RandomSearchConstraints, RareLegalPointsAreFound) {
  SearchSpace space = matmulSpace();
  RandomSearch search(space, 1);
  std::vector<Configuration> points = search.propose(500);
  EXPECT_EQ(countDistinct(points), 500u);
  std::set<uint32_t> orders;
  for (const Configuration &point : points) {
    EXPECT_TRUE(space.isLegal(point));
    orders.insert(point.indices.back());
  }
  EXPECT_THAT(orders, SizeIs(4));
}

TEST(RandomSearchConstraints, OfASpaceTooLargeToCount) {
  std::vector<Knob> knobs;
  for (int i = 0; i < 16; ++i)
    knobs.push_back({"k" + std::to_string(i), upTo(255)});
  SearchSpace space = constrained(knobs, {"k0 + k15 > 300", "k1 < k2"});
  RandomSearch search(space, 1);
  std::vector<Configuration> points = search.propose(500);
  EXPECT_EQ(countDistinct(points), 500u);
  for (const Configuration &point : points)
    EXPECT_TRUE(space.isLegal(point));
}

TEST(RandomSearchConstraints, GivesUpWhereLegalPointsAreNotFound) {
  // Odd, and a sum of even numbers: neither drawing nor enumerating tells.
  std::vector<Knob> knobs;
  std::string sum = "0";
  for (int i = 0; i < 20; ++i) {
    knobs.push_back({"k" + std::to_string(i), upTo(9)});
    sum += " + 2 * k" + std::to_string(i);
  }
  SearchSpace space = constrained(knobs, {sum + " == 181"});
  RandomSearch search(space, 1, {1000, 100000, 1000, 100000});
  EXPECT_THAT(search.propose(3), IsEmpty());
  EXPECT_THAT(search.propose(3), IsEmpty());
}

TEST(RandomSearchConstraints, DrawsOnWhereEnumeratingIsTooLong) {
  // One in 200 is legal.
  SearchSpace space = constrained({{"a", upTo(999)}, {"b", upTo(999)}},
                                  {"(a * 7 + b * 11) mod 200 == 0"});
  RandomSearch search(space, 1, {1, 10, 1000, 100000});
  std::vector<Configuration> points = search.propose(100);
  EXPECT_EQ(countDistinct(points), 100u);
  for (const Configuration &point : points)
    EXPECT_TRUE(space.isLegal(point));
}
