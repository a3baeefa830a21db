//===- Spaces too tangled for a diagram -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Strategies/Strategies.h"
#include "ConstrainedSpaces.h"
#include "EnsembleSearch.h"
#include "GeneticSearch.h"
#include "Search/Spaces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace tonno;

namespace {

std::string named(size_t knob) { return "x" + std::to_string(knob); }

/// Options 1 to 10 for each coefficient, and their sum.
std::vector<Knob> tenEach(size_t count) {
  std::vector<Knob> knobs;
  for (size_t i = 0; i < count; ++i) {
    knobs.push_back({named(i), upTo(10), 0});
    knobs.back().options.erase(knobs.back().options.begin());
  }
  return knobs;
}

struct Sum {
  Sum(size_t terms, uint64_t seed) {
    std::mt19937_64 random(seed);
    for (size_t i = 0; i < terms; ++i) {
      coefficients.push_back(static_cast<int64_t>(1 + random() % 1000000));
      at += coefficients.back() * static_cast<int64_t>(1 + random() % 10);
      text +=
          (i ? " + " : "") + std::to_string(coefficients[i]) + "*" + named(i);
    }
  }
  SearchSpace within(int64_t low, int64_t high) const {
    return constrained(tenEach(coefficients.size()),
                       {text + " >= " + std::to_string(low),
                        text + " <= " + std::to_string(high)});
  }

  std::vector<int64_t> coefficients;
  std::string text;
  int64_t at = 0; ///< its value at some point
};

/// Returns all sums of some of the terms, sorted.
std::vector<int64_t> sumsOf(std::span<const int64_t> coefficients) {
  std::vector<int64_t> sums = {0};
  for (int64_t coefficient : coefficients) {
    std::vector<int64_t> more;
    for (int64_t sum : sums)
      for (int64_t option = 1; option <= 10; ++option)
        more.push_back(sum + coefficient * option);
    sums = std::move(more);
  }
  std::sort(sums.begin(), sums.end());
  return sums;
}

double countWithin(const Sum &sum, int64_t low, int64_t high) {
  std::span<const int64_t> all = sum.coefficients;
  std::vector<int64_t> left = sumsOf(all.first(5)), right = sumsOf(all.last(5));
  double count = 0;
  for (int64_t one : left)
    count += static_cast<double>(
        std::upper_bound(right.begin(), right.end(), high - one) -
        std::lower_bound(right.begin(), right.end(), low - one));
  return count;
}

SearchSpace queens(size_t count, bool onDiagonalsToo = true) {
  std::vector<Knob> knobs;
  std::vector<std::string> constraints;
  for (size_t j = 0; j < count; ++j) {
    knobs.push_back({named(j), upTo(static_cast<int64_t>(count) - 1), 0});
    for (size_t i = 0; i < j; ++i) {
      std::string apart = std::to_string(j - i), a = named(i), b = named(j);
      constraints.push_back(a + " != " + b);
      if (onDiagonalsToo)
        constraints.back() += ", " + a + " - " + b + " != " + apart + ", " + b +
                              " - " + a + " != " + apart;
    }
  }
  return constrained(std::move(knobs), std::move(constraints));
}

/// A strategy that reports the steps of its draws. The tests compare these,
/// which are the same on each machine, with those of designs that took minutes.
template <typename Strategy> class Counted : public Strategy {
public:
  using Strategy::Strategy;
  uint64_t work() { return this->fresh.legal().work(); }
};

size_t countDrawn(const std::shared_ptr<const LegalSpace> &legal, int draws) {
  LegalSampler sampler(legal);
  Random random(5);
  std::set<Configuration> distinct;
  for (int i = 0; i < draws; ++i) {
    auto point = sampler.draw(random);
    if (!point)
      break;
    EXPECT_TRUE(legal->space().isLegal(*point));
    distinct.insert(*point);
  }
  return distinct.size();
}

/// Proposes points one by one, and returns their number.
size_t ask(SearchStrategy &strategy, size_t most) {
  Random random(4);
  std::set<Configuration> asked;
  while (asked.size() < most) {
    std::vector<Configuration> points = strategy.propose(1);
    if (points.empty() || !asked.insert(points[0]).second)
      break;
    Trial trial = trialOf(points[0], 0.5 + random.uniform());
    strategy.observe(std::span(&trial, 1));
  }
  return asked.size();
}

} // namespace

TEST(TangledSpaces, OneInTenThousandIsDrawnByRejecting) {
  Sum sum(30, 1);
  auto legal = LegalSpace::create(
      constrained(tenEach(30), {"(" + sum.text + ") mod 10007 == 3"}));
  const LegalCount &count = legal->count();
  EXPECT_EQ(count.exactness, Exactness::estimated);
  EXPECT_LT(count.low, 1e30 / 10007);
  EXPECT_GT(count.high, 1e30 / 10007);
  EXPECT_LT(count.high, 3 * count.low);
  EXPECT_EQ(countDrawn(legal, 30), 30u);
}

TEST(TangledSpaces, IntervalsOfSumsCover) {
  size_t covered = 0;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    Sum sum(10, seed);
    int64_t low = (seed % 2 ? sum.at : sum.at * 2 / 3) - 10000;
    double expected = countWithin(sum, low, low + 20000);
    SearchSpace space = sum.within(low, low + 20000);
    auto legal = LegalSpace::create(space);
    const LegalCount &count = legal->count();
    EXPECT_NE(count.exactness, Exactness::approximate);
    EXPECT_GT(count.points, expected / 2);
    EXPECT_LT(count.points, expected * 2);
    covered += count.low <= expected && expected <= count.high;
    EXPECT_TRUE(space.firstLegal(std::vector<bool>(10)));
  }
  EXPECT_GE(covered, 3u); // of 95 % intervals
}

TEST(TangledSpaces, WhatIsUnknownIsNotEstimated) {
  Sum one(30, 1), other(30, 2);
  auto between = [](const Sum &sum, int64_t at) {
    return sum.text + " >= " + std::to_string(at - 5) + ", " + sum.text +
           " <= " + std::to_string(at + 5);
  };
  SearchSpace space = constrained(
      tenEach(30), {between(one, one.at), between(other, other.at)});
  LegalSpace::Limits limits;
  limits.mostWork = limits.mostInAll = 20000;
  limits.mostDrawn = size_t(1) << 20;
  limits.mostListing = size_t(1) << 20;
  const LegalCount count = LegalSpace::create(space, limits)->count();
  EXPECT_EQ(count.exactness, Exactness::approximate);
  EXPECT_TRUE(count.isLeast);
  // About 10^30 * (11 / 10^8)^2.
  EXPECT_LT(count.low, 1e16);
  EXPECT_GT(count.high, 1e16);
}

TEST(TangledSpaces, AFirstPointIsFoundWhereItsOrderIsHard) {
  Sum sum(30, 1);
  bool hasReachedStepLimit = false;
  SearchSpace space = sum.within(sum.at, sum.at);
  auto found = space.firstLegal(std::vector<bool>(30), &hasReachedStepLimit);
  ASSERT_TRUE(found);
  EXPECT_FALSE(hasReachedStepLimit);
  EXPECT_TRUE(space.isLegal(*found));

  std::vector<bool> isFixed(30);
  isFixed[3] = isFixed[7] = true;
  space = sum.within(sum.at, sum.at + 100);
  found = space.firstLegal(isFixed, &hasReachedStepLimit);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->indices[3], 0u);
  EXPECT_EQ(found->indices[7], 0u);

  space = sum.within(sum.at + 1, sum.at - 1); // known at each knob only
  EXPECT_FALSE(
      sum.within(0, 1).firstLegal(std::vector<bool>(30), &hasReachedStepLimit));
  EXPECT_FALSE(hasReachedStepLimit);
}

TEST(TangledSpaces, AllDifferentIsCounted) {
  auto legal = LegalSpace::create(queens(12, false));
  EXPECT_EQ(legal->count().exactness, Exactness::exact);
  EXPECT_EQ(legal->count().points, 479001600);
}

TEST(TangledSpaces, QueensAreCountedWhileFew) {
  EXPECT_EQ(LegalSpace::create(queens(8))->count().points, 92);
  auto legal = LegalSpace::create(queens(10));
  EXPECT_EQ(legal->count().exactness, Exactness::exact);
  EXPECT_EQ(legal->count().points, 724);
  auto random = createStrategy("random", legal, 3);
  ASSERT_TRUE(random);
  EXPECT_EQ(ask(**random, 1000), 724u);
  legal = LegalSpace::create(queens(12));
  EXPECT_EQ(legal->count().exactness, Exactness::exact);
  EXPECT_EQ(legal->count().points, 14200);
  Counted<GeneticSearch> genetic(legal, 3);
  EXPECT_EQ(ask(genetic, 60), 60u);
  // 8 million; 34 million where the points are not listed.
  EXPECT_LT(genetic.work(), 20'000'000u);
}

TEST(TangledSpaces, OfManyQueensThereIsMoreThanWasFoundFirst) {
  auto legal = LegalSpace::create(queens(14));
  EXPECT_LT(legal->count().low, 365596);
  EXPECT_GT(legal->count().high, 365596);
  EXPECT_GT(countDrawn(legal, 500), 80u);
  Counted<EnsembleSearch> ensemble(legal, 3);
  EXPECT_EQ(ask(ensemble, 60), 60u);
  // The work is 81 million; 395 million if the pool is not cut to the
  // affordable size, 370 million if each try recounts the points of the ranges.
  EXPECT_LT(ensemble.work(), 200'000'000u);
}

TEST(TangledSpaces, ThoseOfManyOptionsAreAskedSoon) {
  for (int64_t options : {1000, 4000}) {
    auto legal = LegalSpace::create(
        constrained({{"a", upTo(options - 1)}, {"b", upTo(options - 1)}},
                    {"a * b mod 1009 == 7"}));
    Counted<EnsembleSearch> ensemble(legal, 3);
    EXPECT_EQ(ask(ensemble, 30), 30u);
    // 59 million; 30,000 million where each try counts them anew.
    EXPECT_LT(ensemble.work(), 200'000'000u);
  }
}

TEST(TangledSpaces, OfManyConstraintsInBoundedWork) {
  std::mt19937_64 random(6);
  std::vector<Knob> knobs;
  for (size_t i = 0; i < 40; ++i)
    knobs.push_back({named(i), upTo(5), 0});
  std::vector<uint64_t> chosen;
  for (size_t i = 0; i < 40; ++i)
    chosen.push_back(random() % 6);
  std::vector<std::string> constraints;
  for (size_t i = 0; i < 2000; ++i) {
    size_t a = random() % 40, b = random() % 40, c = random() % 40;
    constraints.push_back(
        named(a) + " + 2*" + named(b) + " + " + named(c) + " <= " +
        std::to_string(chosen[a] + 2 * chosen[b] + chosen[c] + random() % 12));
  }
  SearchSpace space = constrained(std::move(knobs), std::move(constraints));
  auto legal = LegalSpace::create(space);
  LegalSpace::Limits limits;
  // 6 million; 47 million where diagrams in vain are not bounded.
  EXPECT_LT(legal->work().inAll, 12'000'000u);
  EXPECT_LE(legal->work().drawn, limits.mostDrawn);
  EXPECT_GT(countDrawn(legal, 20), 5u);
}
