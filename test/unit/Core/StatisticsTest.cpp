//===- Medians, intervals and quantiles -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Statistics.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace tonno;

/// Returns 1, 2, ... n, shuffled: the value is the rank.
static std::vector<double> ranks(size_t n) {
  std::vector<double> samples(n);
  std::iota(samples.begin(), samples.end(), 1.0);
  std::shuffle(samples.begin(), samples.end(), std::mt19937_64(n));
  return samples;
}

TEST(Median, OfOddAndEvenCounts) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({7}), 7);
}

TEST(MedianInterval, OfFewSamplesIsAllOfThem) {
  for (size_t n : {1, 2, 5}) {
    Interval interval = medianInterval(ranks(n), 1.96);
    EXPECT_EQ(interval.low, 1) << n;
    EXPECT_EQ(interval.high, static_cast<double>(n)) << n;
  }
}

TEST(MedianInterval, TakesTheRanksOfTheFormula) {
  struct Row {
    size_t n;
    double z;
    double low, high;
  };
  // floor((n - z sqrt n) / 2) from either end, at least 1.
  for (const Row &row :
       {Row{6, 1.96, 1, 6}, Row{11, 1.96, 2, 10}, Row{20, 1.96, 5, 16},
        Row{20, 3, 3, 18}, Row{100, 1.96, 40, 61}}) {
    Interval interval = medianInterval(ranks(row.n), row.z);
    EXPECT_EQ(interval.low, row.low) << row.n;
    EXPECT_EQ(interval.high, row.high) << row.n;
  }
}

TEST(MedianInterval, CoversTheMedian) {
  // Ranks 5 and 16 of 20 cover 98.8 % by the binomial distribution; one rank
  // further in, they would cover 95.9 %.
  std::mt19937_64 generator(1);
  std::exponential_distribution<double> skewed;
  double truth = std::log(2.0);
  int covered = 0;
  for (int i = 0; i < 4000; ++i) {
    std::vector<double> samples(20);
    for (double &sample : samples)
      sample = skewed(generator);
    Interval interval = medianInterval(samples, 1.96);
    covered += interval.low <= truth && truth <= interval.high;
  }
  EXPECT_GT(covered, 0.98 * 4000);
  EXPECT_LT(covered, 0.995 * 4000);
}

TEST(EstimateMean, GivesMeanAndStandardError) {
  std::vector<double> samples = {2, 4, 4, 4, 5, 5, 7, 9};
  MeanEstimate estimate = estimateMean(samples);
  EXPECT_DOUBLE_EQ(estimate.mean, 5);
  // Sum of squares 32, n - 1 = 7, n = 8.
  EXPECT_DOUBLE_EQ(estimate.standardError, std::sqrt(32.0 / 7 / 8));
}

TEST(StudentQuantile, AgreesWithTables) {
  struct Row {
    double z, degrees, t, tolerance;
  };
  // Two-sided 95 % (z = 1.959964) and one-sided 99 % (z = 2.326348). With two
  // degrees of freedom the expansion falls short by 3 %; from seven on, the
  // protocol's fewest at its first look, it is good to 0.2 %.
  for (const Row &row :
       {Row{1.959964, 2, 4.303, 0.14}, Row{1.959964, 5, 2.571, 0.004},
        Row{1.959964, 7, 2.365, 0.002}, Row{1.959964, 10, 2.228, 0.001},
        Row{1.959964, 30, 2.042, 0.001}, Row{2.326348, 7, 2.998, 0.006},
        Row{2.326348, 15, 2.602, 0.001}, Row{2.326348, 127, 2.356, 0.001}})
    EXPECT_NEAR(studentQuantile(row.z, row.degrees), row.t, row.tolerance)
        << row.degrees;
}

TEST(StudentQuantile, IsNormalInTheLimit) {
  EXPECT_NEAR(studentQuantile(2.33, 1e9), 2.33, 1e-6);
}

TEST(TrimmedMean, LeavesAQuarterOutAtEitherEnd) {
  std::vector<double> samples = {1e9, 3, 1, 4, 2, -1e9, 5, 6};
  // Trimmed by two at either end: 2, 3, 4, 5.
  EXPECT_DOUBLE_EQ(trimmedMean(samples).mean, 3.5);
  // 2 2 2 3 4 5 5 5: a standard deviation of 1.4142, over half of sqrt(8).
  EXPECT_NEAR(trimmedMean(samples).standardError, 1.4142 / 0.5 / std::sqrt(8),
              1e-4);
  EXPECT_DOUBLE_EQ(trimmedMean({1, 2, 6}).mean, 3);
}

TEST(TrimmedMean, OrderDoesNotMatter) {
  std::mt19937_64 generator(2);
  std::uniform_real_distribution<double> uniform;
  for (size_t n = 2; n < 60; ++n) {
    std::vector<double> samples(n);
    for (double &sample : samples)
      sample = uniform(generator);
    std::vector<double> sorted = samples;
    std::ranges::sort(sorted);
    MeanEstimate expected = trimmedMean(sorted), found = trimmedMean(samples);
    double sum = 0;
    for (size_t i = n / 4; i < n - n / 4; ++i)
      sum += sorted[i];
    size_t cut = n / 4;
    EXPECT_NEAR(found.mean, sum / static_cast<double>(n - 2 * cut), 1e-12);
    EXPECT_NEAR(found.standardError, expected.standardError, 1e-12);
    EXPECT_NEAR(median(samples), (sorted[(n - 1) / 2] + sorted[n / 2]) / 2,
                1e-12);
  }
}

TEST(TrimmedMean, ErrorIsThatOfRepetitions) {
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  std::vector<double> means;
  double errors = 0;
  constexpr int repetitions = 2000;
  for (int i = 0; i < repetitions; ++i) {
    std::vector<double> samples(40);
    for (double &sample : samples)
      sample = normal(generator);
    MeanEstimate estimate = trimmedMean(samples);
    means.push_back(estimate.mean);
    errors += estimate.standardError / repetitions;
  }
  double spread = estimateMean(means).standardError * std::sqrt(repetitions);
  EXPECT_NEAR(errors / spread, 1, 0.05);
}

TEST(PseudoMedian, IsTheMedianOfPairsMeans) {
  EXPECT_EQ(pseudoMedian(std::vector<double>{7}), 7);
  // 1, 1.5, 2, 5.5, 6, 10.
  EXPECT_EQ(pseudoMedian(std::vector<double>{1, 2, 10}), 3.75);
  EXPECT_NEAR(pseudoMedian(std::vector<double>{1, 2, 3, 4, 5, 1e9}), 3.5, 0.5);
}

TEST(SignedRankZ, CountsRanksAboveZero) {
  EXPECT_EQ(signedRankZ({}), 0);
  EXPECT_EQ(signedRankZ(std::vector<double>{0, 0}), 0);
  // Ranks 1 to 4, all above: (10 - 5) / sqrt(7.5).
  EXPECT_NEAR(signedRankZ(std::vector<double>{0.4, 0.1, 0.3, 0.2}), 1.8257,
              1e-4);
  EXPECT_NEAR(signedRankZ(std::vector<double>{-0.4, -0.1, -0.3, -0.2}), -1.8257,
              1e-4);
  // Ties share ranks 1.5 and 1.5: one above, one below.
  EXPECT_EQ(signedRankZ(std::vector<double>{0.1, -0.1}), 0);
  // Among ranks 1, 2, 3 the first is below; a zero does not count.
  EXPECT_NEAR(signedRankZ(std::vector<double>{-0.1, 0.2, 0, 0.3}), 1.0690,
              1e-4);
}

TEST(Distribution, InterpolatesQuartiles) {
  Distribution d = Distribution::of({40, 10, 30, 20});
  EXPECT_EQ(d.n, 4u);
  EXPECT_EQ(d.min, 10);
  EXPECT_DOUBLE_EQ(d.q1, 17.5);
  EXPECT_DOUBLE_EQ(d.median, 25);
  EXPECT_DOUBLE_EQ(d.q3, 32.5);
}

TEST(Distribution, OfOneSample) {
  Distribution d = Distribution::of({3});
  EXPECT_EQ(d.n, 1u);
  EXPECT_EQ(d.min, 3);
  EXPECT_EQ(d.q3, 3);
}
