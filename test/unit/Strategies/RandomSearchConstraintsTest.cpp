//===- Uniform over legal points ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstrainedSpaces.h"
#include "RandomSearch.h"
#include "Search/Spaces.h"

#include <gmock/gmock.h>
#include <map>

using namespace tonno;
using testing::IsEmpty;
using testing::SizeIs;

/// Returns a space in which 24 of 4 * 81 points are legal.
static SearchSpace sparseSpace() {
  return constrained({{"a", upTo(8)}, {"b", upTo(8)}, {"c", upTo(3)}},
                     {"a + b == 7", "c != 1"});
}

/// Chi-square over the legal points of what `draw` gives for each of 24000
/// seeds; 24 legal points make 23 degrees of freedom, for which 62 is exceeded
/// once in 50000. The seeds are fixed.
template <typename Draw> static double chiSquare(Draw draw) {
  constexpr int seeds = 24000;
  auto space = LegalSpace::create(sparseSpace());
  std::map<Configuration, int> counts;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    RandomSearch search(space, seed);
    ++counts[draw(search)];
  }
  double sum = 0;
  for (const auto &[point, count] : counts) {
    EXPECT_TRUE(space->contains(point));
    sum += (count - 1000.0) * (count - 1000.0) / 1000.0;
  }
  EXPECT_THAT(counts, SizeIs(24));
  return sum;
}

TEST(RandomSearchConstraints, LegalPointsAreDrawnUniformly) {
  EXPECT_LT(chiSquare([](auto &search) { return search.propose(1).front(); }),
            62);
  EXPECT_LT(chiSquare([](auto &search) { return search.propose(9).back(); }),
            62);
}

TEST(RandomSearchConstraints, EachLegalPointComesOnce) {
  SearchSpace space = sparseSpace();
  std::set<Configuration> left;
  for (uint64_t i = 0; i < space.size(); ++i)
    if (space.isLegal(space.at(i)))
      left.insert(space.at(i));
  RandomSearch search(LegalSpace::create(space), 5);
  Configuration baseline = space.at(28); // a = 0, b = 7, c = 0
  observe(search, {baseline});
  left.erase(baseline);
  for (const Configuration &point : search.propose(3))
    EXPECT_EQ(left.erase(point), 1u);
  observe(search, {*left.begin()}, Status::wrong);
  left.erase(left.begin());
  std::vector<Configuration> points = exhaust(search, 2);
  EXPECT_EQ(points.size(), left.size());
  EXPECT_EQ(std::set<Configuration>(points.begin(), points.end()), left);
}

TEST(RandomSearchConstraints, RareLegalPointsAreFound) {
  SearchSpace space = matmulSpace();
  RandomSearch search(LegalSpace::create(space), 1);
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
  RandomSearch search(LegalSpace::create(space), 1);
  std::vector<Configuration> points = search.propose(500);
  EXPECT_EQ(countDistinct(points), 500u);
  for (const Configuration &point : points)
    EXPECT_TRUE(space.isLegal(point));
}

TEST(RandomSearchConstraints, NoneWhereASumCanNotBe) {
  // Odd, and a sum of even numbers.
  std::vector<Knob> knobs;
  std::string sum = "0";
  for (int i = 0; i < 20; ++i) {
    knobs.push_back({"k" + std::to_string(i), upTo(9)});
    sum += " + 2 * k" + std::to_string(i);
  }
  RandomSearch search(LegalSpace::create(constrained(knobs, {sum + " == 181"})),
                      1);
  EXPECT_THAT(search.propose(3), IsEmpty());
  EXPECT_THAT(search.propose(3), IsEmpty());
}
