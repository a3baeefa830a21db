//===- Tests for the random baseline --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/Replay.h"
#include "tonno/Space/Random.h"

#include "RecordedFiles.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace tonno;

static const char *const five = "a,time_s\n0,4\n1,2\n2,\n3,1\n4,1.04\n";

/// Returns the mean over all orders of the five points.
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
  // The place of one good point in five is uniform.
  EXPECT_NEAR(random.drawsUntil(1.01, 5), 3, 1e-12);
  // Within the first two draws: 1, 2, or 2 in vain.
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
  EXPECT_NEAR(random.score(same).value(), 0, 1e-12);
  EXPECT_NEAR(random.score(optimum).value(), 1, 1e-12);
  EXPECT_NEAR(random.score(between).value(), 0.5, 1e-12);
  same.resize(15);
  EXPECT_NEAR(random.score(same).value(), 0, 1e-12);
  EXPECT_FALSE(random.score({}));
}

/// Returns the mean best of shuffled draws.
static std::vector<double> drawnBest(const Recording &recording, size_t seeds,
                                     size_t trials) {
  std::vector<double> mean(trials);
  Random random(1);
  for (size_t seed = 0; seed < seeds; ++seed) {
    std::vector<double> times;
    for (const RecordedTrial &trial : recording.trials())
      times.push_back(trial.seconds);
    for (size_t i = times.size(); i > 1; --i)
      std::swap(times[i - 1], times[random.below(i)]);
    for (size_t i = 0; i < trials; ++i)
      mean[i] +=
          *std::min_element(times.begin(),
                            times.begin() + static_cast<ptrdiff_t>(std::min(
                                                i + 1, times.size()))) /
          static_cast<double>(seeds);
  }
  return mean;
}

TEST(RandomBaseline, SpacesOfFewPointsAreScoredWhileThereIsADistance) {
  std::string text = "a,time_s\n";
  for (int i = 0; i < 15; ++i)
    text += std::to_string(i) + "," + std::to_string(1.1 + i * 0.3) + "\n";
  Recording recording = accepted(text);
  RandomBaseline random(recording);
  EXPECT_EQ(random.budget(), 15u);
  EXPECT_NEAR(random.score(drawnBest(recording, 100, 50)).value(), 0, 0.3);
  EXPECT_NEAR(random.score(std::vector<double>(50, 1.1)).value(), 1, 1e-9);
}

TEST(RandomBaseline, WhereThereIsNoDistanceThereIsNoScore) {
  RandomBaseline point(accepted("a,time_s\n1,2\n"));
  EXPECT_EQ(point.budget(), 1u);
  EXPECT_FALSE(point.score(std::vector<double>(50, 2)));
  EXPECT_EQ(point.expectedSeconds(1), 2);
  // Times whose multiples round, all the same; and half of them the best.
  std::string flat = "a,time_s\n", half = flat, seven = flat;
  for (int i = 0; i < 361; ++i) {
    flat += std::to_string(i) + ",0.1\n";
    half += std::to_string(i) + (i % 2 ? ",0.1\n" : ",0.7\n");
  }
  for (int i = 0; i < 7; ++i)
    seven += std::to_string(i) + ",0." + std::to_string(i + 1) + "\n";
  for (const std::string &text : {flat, half, seven})
    EXPECT_FALSE(
        RandomBaseline(accepted(text)).score(std::vector<double>(50, 0.1)));
}
