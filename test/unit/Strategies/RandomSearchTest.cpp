//===- Uniform, without replacement, by seed ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RandomSearch.h"

#include "Search/Spaces.h"

#include <gmock/gmock.h>
#include <limits>
#include <map>

using namespace tonno;
using testing::Contains;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

TEST(RandomSearch, CoversAllWithoutRepeats) {
  SearchSpace space = spaceOf({3, 7, 1, 25});
  for (size_t n : {1, 10, 1000}) {
    RandomSearch search(LegalSpace::create(space), 5);
    std::vector<Configuration> points = exhaust(search, n);
    EXPECT_THAT(points, SizeIs(525)) << n;
    EXPECT_EQ(countDistinct(points), 525u) << n;
    EXPECT_THAT(search.propose(1), IsEmpty());
  }
}

TEST(RandomSearch, StaysInTheSpace) {
  SearchSpace space = spaceOf({2, 3});
  RandomSearch search(LegalSpace::create(space), 1);
  for (const Configuration &point : exhaust(search, 1)) {
    ASSERT_THAT(point.indices, SizeIs(2));
    EXPECT_LT(point.indices[0], 2u);
    EXPECT_LT(point.indices[1], 3u);
  }
}

TEST(RandomSearch, EqualSeedsGiveEqualPoints) {
  SearchSpace space = spaceOf({8, 8, 8});
  RandomSearch one(LegalSpace::create(space), 42),
      other(LegalSpace::create(space), 42);
  EXPECT_EQ(exhaust(one, 3, 60), exhaust(other, 3, 60));
}

TEST(RandomSearch, BatchesDoNotMatter) {
  SearchSpace space = spaceOf({8, 8, 8});
  RandomSearch one(LegalSpace::create(space), 42),
      other(LegalSpace::create(space), 42);
  EXPECT_EQ(exhaust(one, 1, 60), exhaust(other, 20, 60));
}

TEST(RandomSearch, SeedsMeanTheSameEverywhere) {
  // The first two numbers of mt19937_64(5489), as the standard has them, as
  // fractions: another library or version must not change what a seed means.
  SearchSpace space = spaceOf({1000});
  RandomSearch search(LegalSpace::create(space), 5489);
  for (double number : {14514284786278117030.0, 4620546740167642908.0})
    EXPECT_EQ(search.propose(1).front().indices[0],
              static_cast<uint32_t>(number / 0x1p64 * 1000));
}

TEST(RandomSearch, OtherSeedsGiveOtherPoints) {
  SearchSpace space = spaceOf({8, 8, 8});
  std::set<std::vector<Configuration>> orders;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    RandomSearch search(LegalSpace::create(space), seed);
    orders.insert(exhaust(search, 5, 5));
  }
  EXPECT_THAT(orders, SizeIs(20));
}

/// Chi-square over the points of a space of 24, of what `draw` gives for each
/// of 24000 seeds.
template <typename Draw>
static double chiSquare(const SearchSpace &space, Draw draw) {
  constexpr int seeds = 24000;
  std::map<Configuration, int> counts;
  auto legal = LegalSpace::create(space);
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    RandomSearch search(legal, seed);
    ++counts[draw(search)];
  }
  double expected = static_cast<double>(seeds) / 24;
  double sum = 0;
  for (uint64_t i = 0; i < space.size(); ++i) {
    double excess = counts[space.at(i)] - expected;
    sum += excess * excess / expected;
  }
  return sum;
}

// 23 degrees of freedom: 62 is exceeded once in 50000. The seeds are fixed, so
// these never fail by chance; a knob with one option twice as likely is over
// 1000.
TEST(RandomSearch, FirstDrawIsUniform) {
  SearchSpace space = spaceOf({2, 3, 4});
  EXPECT_LT(
      chiSquare(space,
                [](RandomSearch &search) { return search.propose(1).front(); }),
      62);
}

TEST(RandomSearch, LaterDrawsAreUniform) {
  SearchSpace space = spaceOf({2, 3, 4});
  EXPECT_LT(
      chiSquare(space,
                [](RandomSearch &search) { return search.propose(12).back(); }),
      62);
}

TEST(RandomSearch, NeverProposesWhatWasObserved) {
  SearchSpace space = spaceOf({5, 5});
  for (uint64_t seed = 0; seed < 50; ++seed) {
    RandomSearch search(LegalSpace::create(space), seed);
    observe(search, {space.at(3)});
    std::vector<Configuration> points = search.propose(4);
    observe(search, points, Status::compile_error);
    for (const Configuration &point : exhaust(search, 1))
      points.push_back(point);
    EXPECT_EQ(points.size(), 24u);
    EXPECT_EQ(countDistinct(points), 24u);
    EXPECT_THAT(points, Not(Contains(space.at(3))));
  }
}

TEST(RandomSearch, FindsTheLastPointOfALargeSpace) {
  SearchSpace space = spaceOf({100, 200});
  RandomSearch search(LegalSpace::create(space), 9);
  std::vector<Configuration> most;
  for (uint64_t i = 0; i < space.size(); ++i)
    if (i != 12345)
      most.push_back(space.at(i));
  observe(search, most);
  std::vector<Configuration> left = search.propose(5);
  ASSERT_THAT(left, SizeIs(1));
  EXPECT_EQ(left.front(), space.at(12345));
}

TEST(RandomSearch, DrawsFromASpaceTooLargeToCount) {
  SearchSpace space = spaceOf(std::vector<size_t>(16, 256)); // 2^128
  ASSERT_EQ(space.size(), std::numeric_limits<uint64_t>::max());
  RandomSearch search(LegalSpace::create(space), 3);
  std::vector<Configuration> points = search.propose(500);
  EXPECT_EQ(countDistinct(points), 500u);
  // Every knob varies, the first ones too, which a 64-bit index can't reach.
  for (size_t knob = 0; knob < 16; ++knob) {
    std::set<uint32_t> taken;
    for (const Configuration &point : points)
      taken.insert(point.indices[knob]);
    EXPECT_GT(taken.size(), 150u) << knob;
  }
}

TEST(RandomSearch, SpaceWithoutKnobsHasOnePoint) {
  SearchSpace space;
  RandomSearch search(LegalSpace::create(space), 1);
  EXPECT_THAT(search.propose(5), SizeIs(1));
  EXPECT_THAT(search.propose(5), IsEmpty());
}
