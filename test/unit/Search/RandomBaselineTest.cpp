//===- RandomBaselineTest.cpp - What random search is expected to find ----===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Search/RandomBaseline.h"

#include "RecordedFiles.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace tonno;

static const char *const five = "a,time_s\n0,4\n1,2\n2,\n3,1\n4,1.04\n";

/// The mean of what all orders of the five points find.
template <typename Value>
static double meanOverOrders(size_t draws, Value value) {
  std::vector<double> times = {4, 2, INFINITY, 1, 1.04};
  std::vector<size_t> order = {0, 1, 2, 3, 4};
  double sum = 0;
  size_t count = 0;
  do {
    double best = INFINITY;
    for (size_t i = 0; i < draws; ++i)
      best = std::min(best, times[order[i]]);
    sum += value(best);
    ++count;
  } while (std::ranges::next_permutation(order).found);
  return sum / static_cast<double>(count);
}

TEST(RandomBaseline, IsTheMeanOverAllOrders) {
  RandomBaseline random(accepted(five));
  for (size_t draws = 0; draws <= 5; ++draws) {
    EXPECT_NEAR(random.expectedSeconds(draws),
                meanOverOrders(draws, [](double t) { return std::min(t, 4.); }),
                1e-12)
        << draws;
    EXPECT_NEAR(random.expectedFraction(draws),
                meanOverOrders(draws, [](double t) { return 1 / t; }), 1e-12);
    for (double factor : {1.01, 1.05})
      EXPECT_NEAR(
          random.missProbability(factor, draws),
          meanOverOrders(draws, [&](double t) { return t > factor ? 1 : 0; }),
          1e-12);
  }
}

TEST(RandomBaseline, CountsTheDrawsOfRunsThatMiss) {
  RandomBaseline random(accepted(five));
  // One good point in five: its place is uniform.
  EXPECT_NEAR(random.drawsUntil(1.01, 5), 3, 1e-12);
  // Of the first two places: it takes 1, 2, or 2 in vain.
  EXPECT_NEAR(random.drawsUntil(1.01, 2), (1 + 2 + 3 * 2) / 2.0, 1e-12);
}

TEST(RandomBaseline, RandomScoresZeroAndTheOptimumOne) {
  std::string text = "a,time_s\n";
  for (int i = 0; i < 500; ++i)
    text += std::to_string(i) + "," + std::to_string(1 + i * 0.01) + "\n";
  RandomBaseline random(accepted(text));
  // Uniform times: after k draws the best is expected 501/(k+1) ranks from 0,
  // and 5 % of the way to the median is 12.5 ranks.
  EXPECT_NEAR(static_cast<double>(random.budget()), 501 / 13.5, 1.5);
  std::vector<double> same, optimum(400, 1), between;
  for (size_t draws = 1; draws <= 400; ++draws) {
    same.push_back(random.expectedSeconds(draws));
    between.push_back((same.back() + 1) / 2);
  }
  EXPECT_NEAR(random.score(same), 0, 1e-12);
  EXPECT_NEAR(random.score(optimum), 1, 1e-12);
  EXPECT_NEAR(random.score(between), 0.5, 1e-12);
  same.resize(15);
  EXPECT_NEAR(random.score(same), 0, 1e-12);
  EXPECT_EQ(random.score({}), 0);
}

TEST(RandomBaseline, SpacesOfOnePointHaveNoDistance) {
  RandomBaseline random(accepted("a,time_s\n1,2\n"));
  EXPECT_EQ(random.budget(), 20u);
  EXPECT_EQ(random.score(std::vector<double>(50, 2)), 0);
  EXPECT_EQ(random.expectedSeconds(1), 2);
}
