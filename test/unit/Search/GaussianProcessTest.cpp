//===- Against the formulas, written plainly ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Models/Surrogate.h"

#include <cmath>
#include <gmock/gmock.h>
#include <numeric>

using namespace tonno;
using testing::ElementsAre;
using testing::SizeIs;

namespace {

/// Points with targets.
struct TargetedPoints {
  Rows<float> points;
  std::vector<double> targets;
};

/// Predicts with the process's own scales, in double precision, with an inverse
/// by Gauss-Jordan elimination.
class PlainProcess {
public:
  PlainProcess(const GaussianProcess &process, const TargetedPoints &data,
               std::span<const uint32_t> knobs)
      : process(process), data(data), knobs(knobs), inverse(invert()) {
    double n = static_cast<double>(data.targets.size());
    mean = std::accumulate(data.targets.begin(), data.targets.end(), 0.0) / n;
    std::vector<double> rest;
    for (double target : data.targets)
      rest.push_back(target - mean);
    weights = solve(rest);
    signal = std::inner_product(rest.begin(), rest.end(), weights.begin(), 0.0);
    signal /= n;
  }

  GaussianProcess::Prediction predict(std::span<const float> point) const {
    std::vector<double> near;
    for (size_t i = 0; i < data.targets.size(); ++i)
      near.push_back(covariance(point, data.points[i]));
    std::vector<double> solved = solve(near);
    double sum = mean, explained = 0;
    for (size_t i = 0; i < near.size(); ++i) {
      sum += near[i] * weights[i];
      explained += near[i] * solved[i];
    }
    return {static_cast<float>(sum),
            static_cast<float>(signal * (1 - explained))};
  }

  double signal = 0;

private:
  double covariance(std::span<const float> one,
                    std::span<const float> other) const {
    double square = 0;
    for (size_t i = 0; i < one.size();) {
      double ofKnob = 0, length = process.lengthScales()[knobs[i]];
      for (size_t first = i; i < one.size() && knobs[i] == knobs[first]; ++i)
        ofKnob += std::pow(one[i] - other[i], 2);
      square += (ofKnob + (ofKnob > 0 ? 0.25 : 0)) / (length * length);
    }
    double r = std::sqrt(5 * square);
    return (1 + r + (r * r / 3)) * std::exp(-r);
  }

  using Matrix = std::vector<std::vector<double>>;

  /// Returns the inverse of the points' covariances.
  Matrix invert() const {
    size_t n = data.targets.size();
    Matrix matrix(n, std::vector<double>(n)), inverse = matrix;
    for (size_t i = 0; i < n; ++i) {
      inverse[i][i] = 1;
      for (size_t j = 0; j < n; ++j)
        matrix[i][j] = covariance(data.points[i], data.points[j]) +
                       (i == j ? process.noise() : 0);
    }
    for (size_t pivot = 0; pivot < n; ++pivot) {
      for (size_t row = 0; row < n; ++row) {
        if (row == pivot)
          continue;
        double factor = matrix[row][pivot] / matrix[pivot][pivot];
        for (size_t column = 0; column < n; ++column) {
          matrix[row][column] -= factor * matrix[pivot][column];
          inverse[row][column] -= factor * inverse[pivot][column];
        }
      }
    }
    for (size_t i = 0; i < n; ++i)
      for (size_t column = 0; column < n; ++column)
        inverse[i][column] /= matrix[i][i];
    return inverse;
  }

  std::vector<double> solve(const std::vector<double> &right) const {
    std::vector<double> solved;
    for (const std::vector<double> &row : inverse)
      solved.push_back(
          std::inner_product(row.begin(), row.end(), right.begin(), 0.0));
    return solved;
  }

  const GaussianProcess &process;
  const TargetedPoints &data;
  std::span<const uint32_t> knobs;
  Matrix inverse;
  double mean = 0;
  std::vector<double> weights;
};

} // namespace

static constexpr uint32_t knobs[] = {0, 1, 2, 2, 2};

static double truth(std::span<const float> point) {
  return std::sin(3 * point[0]) + (point[1] * point[2]) + (0.3 * point[4]);
}

/// Draws points with two knobs of eight levels and one of three options.
static TargetedPoints drawPoints(size_t count, uint64_t seed) {
  Random random(seed);
  TargetedPoints data{Rows<float>(5), {}};
  for (size_t i = 0; i < count; ++i) {
    std::span<float> point = data.points.append();
    point[0] = static_cast<float>(random.below(8)) / 7;
    point[1] = static_cast<float>(random.below(8)) / 7;
    point[2 + random.below(3)] = std::sqrt(0.5F);
    data.targets.push_back(truth(point));
  }
  return data;
}

TEST(GaussianProcess, PredictsWhatTheFormulasSay) {
  TargetedPoints data = drawPoints(40, 1), asked = drawPoints(300, 2);
  GaussianProcess process(knobs);
  Random random(3);
  for (int refit = 0; refit < 5; ++refit) {
    process.fit(data.points, data.targets, random);
    PlainProcess plain(process, data, knobs);
    EXPECT_NEAR(process.signalVariance(), plain.signal, 2e-3 * plain.signal);
    auto found = process.predict(asked.points);
    ASSERT_THAT(found, SizeIs(300)); // more than one block
    for (size_t i = 0; i < 300; ++i) {
      auto expected = plain.predict(asked.points[i]);
      EXPECT_NEAR(found[i].mean, expected.mean, 1e-3);
      EXPECT_NEAR(found[i].variance, expected.variance, 2e-3 * plain.signal);
    }
  }
}

TEST(GaussianProcess, StartsWithTheUsualScales) {
  GaussianProcess process(knobs);
  float usual = 0.6F * std::sqrt(3.0F);
  EXPECT_THAT(process.lengthScales(), ElementsAre(usual, usual, usual));
  EXPECT_FLOAT_EQ(process.noise(), 0.01F);
}

TEST(GaussianProcess, LearnsAFunctionAndKnowsWhereItIsSure) {
  TargetedPoints data = drawPoints(120, 5), asked = drawPoints(200, 6);
  GaussianProcess process(knobs);
  Random random(1);
  for (int refit = 0; refit < 20; ++refit)
    process.fit(data.points, data.targets, random);
  auto at = process.predict(data.points),
       beside = process.predict(asked.points);
  double error = 0, known = 0, unknown = 0;
  for (size_t i = 0; i < 120; ++i) {
    EXPECT_NEAR(at[i].mean, data.targets[i], 0.05); // low noise was learnt
    known += at[i].variance / 120;
  }
  for (size_t i = 0; i < 200; ++i) {
    error += std::pow(beside[i].mean - truth(asked.points[i]), 2) / 200;
    unknown += beside[i].variance / 200;
  }
  EXPECT_LT(std::sqrt(error), 0.1); // of a standard deviation of 0.4
  EXPECT_LT(known, unknown);
  EXPECT_LT(process.noise(), 0.01F);
}

TEST(GaussianProcess, NoiseIsLearnt) {
  TargetedPoints data = drawPoints(150, 5);
  Random random(1);
  for (double &target : data.targets)
    target += 0.4 * random.normal();
  GaussianProcess process(knobs);
  for (int refit = 0; refit < 30; ++refit)
    process.fit(data.points, data.targets, random);
  EXPECT_GT(process.noise(), 0.1F);
}

TEST(GaussianProcess, EqualTargetsArePredictedEverywhere) {
  TargetedPoints data = drawPoints(50, 5), asked = drawPoints(20, 6);
  std::ranges::fill(data.targets, 0.7);
  GaussianProcess process(knobs);
  Random random(1);
  for (int refit = 0; refit < 10; ++refit)
    process.fit(data.points, data.targets, random);
  for (auto found : process.predict(asked.points)) {
    EXPECT_NEAR(found.mean, 0.7, 1e-5);
    EXPECT_GE(found.variance, 0);
    EXPECT_LT(found.variance, 1e-6);
  }
}

TEST(GaussianProcess, EqualPointsWithOtherTargetsAreAveraged) {
  TargetedPoints data{Rows<float>(1), {}};
  for (int i = 0; i < 300; ++i) {
    data.points.append()[0] = i < 290 ? 0.5F : 1.0F;
    data.targets.push_back(i % 2);
  }
  GaussianProcess process(std::vector<uint32_t>{0});
  Random random(1);
  for (int refit = 0; refit < 10; ++refit)
    process.fit(data.points, data.targets, random);
  EXPECT_NEAR(process.predict(data.points)[0].mean, 0.5, 0.02);
}

TEST(GaussianProcess, OnePointAndNoKnobs) {
  Rows<float> none(0, 1);
  Random random(1);
  GaussianProcess process((std::span<const uint32_t>()));
  process.fit(none, std::vector<double>{3}, random);
  EXPECT_NEAR(process.predict(none)[0].mean, 3, 1e-6);
  Rows<float> one(1, 1);
  GaussianProcess single(std::vector<uint32_t>{0});
  single.fit(one, std::vector<double>{3}, random);
  EXPECT_NEAR(single.predict(one)[0].mean, 3, 1e-6);
}

TEST(GaussianProcess, OfTooManyPointsTheBestAndTheLastCount) {
  // 1 at the start, and near it; 0.2 in the middle, -1 at the end.
  TargetedPoints data{Rows<float>(1), {}};
  for (int i = 0; i < 30; ++i) {
    data.points.append()[0] = static_cast<float>(i) / 29;
    data.targets.push_back(i < 10 ? 1 : i < 20 ? 0.2 : -1);
  }
  GaussianProcess::Options options;
  options.mostPoints = 20;
  options.moves = 0;
  GaussianProcess bounded(std::vector<uint32_t>{0}, options);
  Random random(1);
  bounded.fit(data.points, data.targets, random);
  TargetedPoints kept{Rows<float>(1), {}};
  for (int i = 0; i < 30; ++i)
    if (i < 10 || i >= 20) {
      kept.points.append()[0] = static_cast<float>(i) / 29;
      kept.targets.push_back(data.targets[static_cast<size_t>(i)]);
    }
  GaussianProcess of20(std::vector<uint32_t>{0}, options);
  of20.fit(kept.points, kept.targets, random);
  for (size_t i = 0; i < 30; ++i)
    EXPECT_EQ(bounded.predict(data.points)[i].mean,
              of20.predict(data.points)[i].mean);
}

TEST(GaussianProcess, EqualSeedsGiveEqualProcesses) {
  TargetedPoints data = drawPoints(60, 4);
  GaussianProcess one(knobs), other(knobs);
  Random random(9), same(9);
  for (int refit = 0; refit < 5; ++refit) {
    one.fit(data.points, data.targets, random);
    other.fit(data.points, data.targets, same);
  }
  EXPECT_EQ(one.noise(), other.noise());
  EXPECT_EQ(one.predict(data.points)[3].mean,
            other.predict(data.points)[3].mean);
}
