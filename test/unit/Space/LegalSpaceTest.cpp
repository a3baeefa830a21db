//===- Legal points, counted and drawn ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Space/LegalSpace.h"
#include "ConstrainedSpaces.h"
#include "Uniformity.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

using namespace tonno;

namespace {

std::vector<Configuration> legalPoints(const SearchSpace &space) {
  std::vector<Configuration> all;
  for (uint64_t i = 0; i < space.size(); ++i)
    if (space.isLegal(space.at(i)))
      all.push_back(space.at(i));
  return all;
}

/// Returns a space with a few kinds of conditions over up to six small knobs.
SearchSpace randomSpace(std::mt19937_64 &random) {
  std::vector<Knob> knobs;
  size_t count = 1 + random() % 6;
  for (size_t i = 0; i < count; ++i)
    knobs.push_back({"k" + std::to_string(i), upTo(random() % 6), 0});
  auto knob = [&] { return "k" + std::to_string(random() % count); };
  std::vector<std::string> constraints;
  for (size_t i = random() % 5; i > 0; --i)
    switch (random() % 7) {
    case 0:
      constraints.push_back(knob() + " + " + knob() + " + " + knob() +
                            " <= " + std::to_string(random() % 9));
      break;
    case 1:
      constraints.push_back(knob() + " * " + knob() + " mod 3 != 1");
      break;
    case 2:
      constraints.push_back("if " + knob() + " > 1 then " + knob() +
                            " == " + knob() + " else " + knob() + " < 3");
      break;
    case 3:
      constraints.push_back("not (" + knob() + " == 2 and " + knob() +
                            " != " + knob() + ")");
      break;
    case 4:
      constraints.push_back(knob() + " floordiv (" + knob() +
                            " + 1) <= " + knob());
      break;
    case 5:
      constraints.push_back(knob() + " - " + knob() + " >= 2");
      break;
    default:
      constraints.push_back(knob() + " < 2 or " + knob() + " * " + knob() +
                            " * " + knob() + " > 4");
      break;
    }
  return constrained(std::move(knobs), std::move(constraints));
}

/// Checks that draws are uniform, by a chi-square test at 99.99 % in normal
/// approximation.
void expectUniform(const std::map<Configuration, size_t> &drawn,
                   const std::vector<Configuration> &points, size_t draws) {
  double freedom = static_cast<double>(points.size()) - 1;
  EXPECT_LT(chiSquare(drawn, points, draws),
            freedom + 4 * std::sqrt(2 * freedom) + 8);
}

} // namespace

TEST(LegalSpace, CountsAreThoseOfBruteForce) {
  std::mt19937_64 random(1);
  size_t empty = 0;
  for (int i = 0; i < 1500; ++i) {
    SearchSpace space = randomSpace(random);
    size_t expected = legalPoints(space).size();
    auto legal = LegalSpace::create(space);
    ASSERT_EQ(legal->count().points, expected) << Json(space).dump();
    EXPECT_EQ(legal->count().exactness, Exactness::exact);
    EXPECT_EQ(legal->count().share, static_cast<double>(expected) /
                                        static_cast<double>(space.size()));
    empty += expected == 0;
    Random draws(i);
    EXPECT_EQ(LegalSampler(legal).draw(draws).has_value(), expected > 0);
  }
  EXPECT_GT(empty, 10u);
  EXPECT_LT(empty, 500u);
}

TEST(LegalSpace, CountsWhereLegalPointsAreRare) {
  SearchSpace space = matmulSpace();
  uint64_t expected = 0;
  LegalPoints points(space);
  while (points.next())
    ++expected;
  EXPECT_GT(expected, 100000u);
  auto legal = LegalSpace::create(space);
  EXPECT_EQ(legal->count().points, static_cast<double>(expected));
  EXPECT_LT(legal->bytes(), size_t(1) << 20);
}

TEST(LegalSpace, DrawsAreUniform) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 30; ++i) {
    SearchSpace space = randomSpace(random);
    std::vector<Configuration> points = legalPoints(space);
    if (points.size() < 2)
      continue;
    LegalSampler sampler(LegalSpace::create(space));
    Random draws(i);
    std::map<Configuration, size_t> drawn;
    size_t count = 40 * points.size();
    for (size_t j = 0; j < count; ++j)
      ++drawn[*sampler.draw(draws)];
    expectUniform(drawn, points, count);
  }
}

TEST(LegalSpace, CompletionsAndCrossesAreUniformAmongThoseAllowed) {
  std::mt19937_64 random(3);
  size_t none = 0, tested = 0;
  for (int i = 0; i < 60; ++i) {
    SearchSpace space = randomSpace(random);
    std::vector<Configuration> points = legalPoints(space);
    if (points.size() < 2)
      continue;
    LegalSampler sampler(LegalSpace::create(space));
    Random draws(i);
    // Starts from a point that need not be legal.
    Configuration start = space.at(draws.below(space.size()));
    Configuration other = points[draws.below(points.size())];
    std::vector<uint32_t> freeKnobs;
    for (uint32_t knob = 0; knob < space.knobs().size(); ++knob)
      if (draws.below(2))
        freeKnobs.push_back(knob);
    std::vector<Configuration> completions, crosses;
    for (const Configuration &point : points) {
      bool completes = true, crossed = true;
      for (uint32_t knob = 0; knob < space.knobs().size(); ++knob) {
        bool isFree = std::find(freeKnobs.begin(), freeKnobs.end(), knob) !=
                      freeKnobs.end();
        completes &= isFree || point.indices[knob] == start.indices[knob];
        crossed &= point.indices[knob] == start.indices[knob] ||
                   point.indices[knob] == other.indices[knob];
      }
      if (completes)
        completions.push_back(point);
      if (crossed)
        crosses.push_back(point);
    }
    std::map<Configuration, size_t> completed, crossed;
    for (size_t j = 0; j < 40 * points.size(); ++j) {
      auto drawn = sampler.complete(start, freeKnobs, draws);
      ASSERT_EQ(drawn.has_value(), !completions.empty());
      if (drawn)
        ++completed[*drawn];
      ++crossed[*sampler.cross(start, other, draws)];
    }
    none += completions.empty();
    ++tested;
    if (!completions.empty())
      expectUniform(completed, completions, 40 * points.size());
    expectUniform(crossed, crosses, 40 * points.size());
  }
  EXPECT_GT(none, 3u);
  EXPECT_GT(tested, none + 20);
}

TEST(LegalSpace, FindsTheNearestLegalPoint) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 100; ++i) {
    SearchSpace space = randomSpace(random);
    std::vector<Configuration> points = legalPoints(space);
    LegalSampler sampler(LegalSpace::create(space));
    Random draws(i);
    Configuration start = space.at(draws.below(space.size()));
    auto distance = [&](const Configuration &point) {
      double sum = 0;
      for (size_t knob = 0; knob < point.indices.size(); ++knob) {
        double apart = std::abs(static_cast<double>(point.indices[knob]) -
                                start.indices[knob]);
        double options = space.knobs()[knob].options.size();
        sum += apart > 0 ? 0.5 + apart / std::max(1.0, options - 1) : 0;
      }
      return sum;
    };
    auto found = sampler.nearest(start, draws);
    ASSERT_EQ(found.has_value(), !points.empty());
    if (!found)
      continue;
    EXPECT_TRUE(space.isLegal(*found));
    double least = 1e9;
    for (const Configuration &point : points)
      least = std::min(least, distance(point));
    EXPECT_DOUBLE_EQ(distance(*found), least);
  }
}

/// Returns a space whose diagram would need a node for each sum.
static SearchSpace tangledSpace(int64_t least) {
  std::vector<Knob> knobs;
  std::string sum, products;
  for (int64_t i = 0; i < 6; ++i) {
    std::string name = "x" + std::to_string(i);
    knobs.push_back({name, upTo(6), 0});
    sum += (i ? " + " : "") + std::to_string(1009 + 337 * i * i) + "*" + name;
    products += (i ? " + " : "") + std::to_string(211 + 97 * i) + "*" + name +
                "*x" + std::to_string((i + 2) % 6);
  }
  return constrained(
      std::move(knobs),
      {sum + " <= 60000", products + " >= " + std::to_string(least)});
}

TEST(LegalSpace, WhatIsTangledIsRejectedAndSaysSo) {
  SearchSpace space = tangledSpace(20000);
  std::vector<Configuration> points = legalPoints(space);
  LegalSpace::Limits limits;
  limits.mostWork = 500;
  auto legal = LegalSpace::create(space, limits);
  const LegalCount &count = legal->count();
  ASSERT_EQ(count.exactness, Exactness::estimated);
  auto expected = static_cast<double>(points.size());
  EXPECT_LT(count.low, expected);
  EXPECT_GT(count.high, expected);
  EXPECT_LT(count.high - count.low, 0.1 * expected);
  LegalSampler sampler(legal);
  Random random(5);
  std::map<Configuration, size_t> drawn;
  for (size_t i = 0; i < 20 * points.size(); ++i)
    ++drawn[*sampler.draw(random)];
  expectUniform(drawn, points, 20 * points.size());
  for (int i = 0; i < 200; ++i) {
    auto near = sampler.nearest(space.at(random.below(space.size())), random);
    ASSERT_TRUE(near);
    EXPECT_TRUE(space.isLegal(*near));
  }
}

TEST(LegalSpace, WhatIsRareAndTangledHasThePointsThatWereFound) {
  SearchSpace space = tangledSpace(34000);
  std::vector<Configuration> points = legalPoints(space);
  ASSERT_GT(points.size(), 20u);
  LegalSpace::Limits limits;
  limits.mostWork = 500;
  limits.mostDrawn = 10000; // too few to be content with rejecting
  auto legal = LegalSpace::create(space, limits);
  EXPECT_EQ(legal->count().exactness, Exactness::exact);
  EXPECT_EQ(legal->count().points, static_cast<double>(points.size()));

  limits.mostListing = 0;
  legal = LegalSpace::create(space, limits);
  const LegalCount &count = legal->count();
  ASSERT_EQ(count.exactness, Exactness::approximate);
  EXPECT_TRUE(count.isLeast);
  EXPECT_GE(count.low, 1);
  EXPECT_LT(count.low, static_cast<double>(points.size()));
  EXPECT_GT(count.high, static_cast<double>(points.size()));
  EXPECT_FALSE(legal->tangledConstraints().empty());
  LegalSampler sampler(legal);
  Random random(6);
  std::set<Configuration> drawn;
  for (int i = 0; i < 2000; ++i) {
    auto point = sampler.draw(random);
    ASSERT_TRUE(point);
    ASSERT_TRUE(space.isLegal(*point));
    drawn.insert(*point);
  }
  EXPECT_EQ(static_cast<double>(drawn.size()), count.points);
}

TEST(LegalSpace, WithoutLegalPointsItIsEmptyHoweverTangled) {
  LegalSpace::Limits limits;
  limits.mostWork = 500;
  auto legal = LegalSpace::create(tangledSpace(10000000), limits);
  EXPECT_EQ(legal->count().points, 0);
  EXPECT_EQ(legal->count().high, 0);
  LegalSampler sampler(legal);
  Random random(7);
  EXPECT_EQ(sampler.draw(random), std::nullopt);
  EXPECT_EQ(sampler.nearest({{0, 0, 0, 0, 0, 0}}, random), std::nullopt);
}

TEST(LegalSpace, MayBeAList) {
  SearchSpace space({{"a", {1, 2, 3}}, {"b", {1, 2}}});
  auto legal = LegalSpace::of(space, {{{0, 1}}, {{2, 0}}, {{0, 1}}});
  EXPECT_EQ(legal->count().points, 2);
  EXPECT_TRUE(legal->contains({{2, 0}}));
  EXPECT_FALSE(legal->contains({{0, 0}}));
  LegalSampler sampler(legal);
  Random random(8);
  EXPECT_EQ(sampler.nearest({{1, 1}}, random), (Configuration{{0, 1}}));
  EXPECT_EQ(LegalSpace::of(space, {})->count().points, 0);
}

TEST(LegalSpace, OfManyKnobsInBoundedWork) {
  std::vector<Knob> knobs;
  std::string sum;
  for (int64_t i = 0; i < 150; ++i) {
    knobs.push_back({"x" + std::to_string(i), upTo(3), 0});
    sum += (i ? " + " : "") + std::to_string(100003 + 7919 * i) + "*x" +
           std::to_string(i);
  }
  auto legal = LegalSpace::create(constrained(knobs, {sum + " <= 150000000"}));
  LegalSampler sampler(legal);
  Random random(9);
  for (int i = 0; i < 100; ++i) {
    auto point = sampler.draw(random);
    ASSERT_TRUE(point);
    EXPECT_TRUE(legal->space().isLegal(*point));
  }
}
