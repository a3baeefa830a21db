//===- Trees against the best splits by hand ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/Forest.h"
#include "tonno/Space/Random.h"
#include "search/BoostedTrees.h"

#include <cmath>
#include <gmock/gmock.h>

using namespace tonno;
using testing::Each;
using testing::ElementsAre;
using Criterion = DecisionTree::Options::Criterion;

namespace {

/// Rows with targets and weights to learn from.
struct LabelledRows {
  Rows<uint8_t> rows;
  std::vector<double> targets, weights;
};

} // namespace

static LabelledRows drawRows(size_t rows, size_t columns, uint32_t levels,
                             bool areLabels, uint64_t seed) {
  Random random(seed);
  LabelledRows data{Rows<uint8_t>(columns, rows), {}, {}};
  for (size_t row = 0; row < rows; ++row) {
    for (uint8_t &bin : data.rows[row])
      bin = static_cast<uint8_t>(random.below(levels));
    data.targets.push_back(areLabels ? static_cast<double>(random.below(2))
                                     : random.uniform());
    data.weights.push_back(1 + static_cast<double>(random.below(4)));
  }
  return data;
}

static Forest::Options oneTree(size_t mostDepth) {
  Forest::Options options;
  options.trees = 1;
  options.bootstrap = false;
  options.tree.mostDepth = mostDepth;
  return options;
}

/// Returns the loss of a set of rows that all get its mean.
static double lossOf(const LabelledRows &data, const std::vector<size_t> &rows,
                     Criterion criterion) {
  double weight = 0, mean = 0, loss = 0;
  for (size_t row : rows) {
    weight += data.weights[row];
    mean += data.weights[row] * data.targets[row];
  }
  mean /= weight;
  for (size_t row : rows)
    if (criterion == Criterion::squaredError)
      loss += data.weights[row] * std::pow(data.targets[row] - mean, 2);
    else
      loss -=
          data.weights[row] * std::log(data.targets[row] > 0 ? mean : 1 - mean);
  return loss;
}

/// Returns the two sides of a threshold.
static std::pair<std::vector<size_t>, std::vector<size_t>>
sides(const LabelledRows &data, size_t column, uint8_t threshold) {
  std::pair<std::vector<size_t>, std::vector<size_t>> both;
  for (size_t row = 0; row < data.rows.size(); ++row)
    (data.rows[row][column] > threshold ? both.second : both.first)
        .push_back(row);
  return both;
}

static void expectBestSplit(Criterion criterion, size_t leastLeaf) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    LabelledRows data =
        drawRows(3 + (seed % 12), 3, 5, criterion == Criterion::logLoss, seed);
    Forest::Options options = oneTree(1);
    options.tree.criterion = criterion;
    options.tree.leastLeaf = leastLeaf;
    Forest forest(data.rows, data.targets, data.weights, options, seed);
    const DecisionTree &tree = forest.trees().front();

    double best = std::numeric_limits<double>::infinity();
    for (size_t column = 0; column < 3; ++column)
      for (uint8_t threshold = 0; threshold < 4; ++threshold) {
        auto [left, right] = sides(data, column, threshold);
        if (left.size() >= leastLeaf && right.size() >= leastLeaf)
          best = std::min(best, lossOf(data, left, criterion) +
                                    lossOf(data, right, criterion));
      }
    if (tree.isLeaf(0)) {
      // A leaf has no threshold with enough rows on both sides, or equal
      // targets.
      bool areEqual = lossOf(data, sides(data, 0, 255).first,
                             Criterion::squaredError) < 1e-9;
      EXPECT_TRUE(std::isinf(best) || areEqual) << seed;
      continue;
    }
    const DecisionTree::Node &root = tree.nodes()[0];
    auto [left, right] = sides(data, root.column, root.threshold);
    EXPECT_GE(left.size(), leastLeaf);
    EXPECT_GE(right.size(), leastLeaf);
    EXPECT_NEAR(lossOf(data, left, criterion) + lossOf(data, right, criterion),
                best, 1e-9)
        << seed;
  }
}

TEST(Forest, SplitsBestByError) { expectBestSplit(Criterion::squaredError, 1); }

TEST(Forest, SplitsBestByLogLoss) { expectBestSplit(Criterion::logLoss, 1); }

TEST(Forest, LeavesHaveTheLeastNumberOfSamples) {
  expectBestSplit(Criterion::squaredError, 3);
}

TEST(Forest, LeavesHoldWeightedMeansAndVariances) {
  Rows<uint8_t> rows(1, 4);
  rows[2][0] = rows[3][0] = 7;
  std::vector<double> targets = {1, 4, 10, 10}, weights = {2, 1, 1, 5};
  Forest forest(rows, targets, weights, oneTree(64), 1);
  std::vector<Forest::Prediction> found = forest.predict(rows);
  EXPECT_FLOAT_EQ(found[0].mean, 2);
  EXPECT_FLOAT_EQ(found[0].variance, 2); // (2 * 1 + 4) / 3
  EXPECT_FLOAT_EQ(found[3].mean, 10);
  EXPECT_FLOAT_EQ(found[3].variance, 0);
  // Half way between the bins that are there.
  EXPECT_EQ(forest.trees()[0].nodes()[0].threshold, 3);
}

TEST(Forest, RowsOfNoWeightHaveNoPart) {
  LabelledRows data = drawRows(30, 3, 6, false, 3);
  for (size_t row = 0; row < 30; row += 2) {
    data.targets[row] = 1000;
    data.weights[row] = 0;
  }
  Forest forest(data.rows, data.targets, data.weights, Forest::Options(), 5);
  for (const Forest::Prediction &found : forest.predict(data.rows))
    EXPECT_LE(found.mean, 1);
}

TEST(Forest, AWeightIsWorthAsManyRows) {
  LabelledRows data = drawRows(12, 3, 4, false, 8),
               repeated{Rows<uint8_t>(3), {}, {}};
  for (size_t row = 0; row < 12; ++row)
    for (int i = 0; i < static_cast<int>(data.weights[row]); ++i) {
      std::ranges::copy(data.rows[row], repeated.rows.append().begin());
      repeated.targets.push_back(data.targets[row]);
    }
  Forest one(data.rows, data.targets, data.weights, oneTree(3), 1);
  Forest other(repeated.rows, repeated.targets, oneTree(3), 1);
  auto found = one.predict(data.rows), expected = other.predict(data.rows);
  for (size_t row = 0; row < 12; ++row) {
    EXPECT_NEAR(found[row].mean, expected[row].mean, 1e-6);
    EXPECT_NEAR(found[row].variance, expected[row].variance, 1e-6);
  }
}

TEST(Forest, LearnsWhatNeedsTwoColumnsAtOnce) {
  Rows<uint8_t> rows(2, 4);
  rows[1][0] = rows[2][1] = rows[3][0] = rows[3][1] = 1;
  std::vector<double> targets = {0, 1, 1, 0}; // no split of one column helps
  Forest forest(rows, targets, oneTree(64), 1);
  for (size_t row = 0; row < 4; ++row)
    EXPECT_FLOAT_EQ(forest.predict(rows)[row].mean, targets[row]);
}

TEST(Forest, EqualTargetsAreOneLeaf) {
  LabelledRows data = drawRows(20, 3, 4, false, 1);
  std::ranges::fill(data.targets, 0.3);
  Forest forest(data.rows, data.targets, Forest::Options(), 1);
  for (const DecisionTree &tree : forest.trees())
    EXPECT_EQ(tree.nodes().size(), 1u);
  EXPECT_FLOAT_EQ(forest.predict(data.rows)[5].mean, 0.3F);
  EXPECT_NEAR(forest.predict(data.rows)[5].variance, 0, 1e-12);
}

TEST(Forest, TakesRowsWithoutColumns) {
  Forest forest(Rows<uint8_t>(0, 3), std::vector<double>{1, 2, 6}, oneTree(64),
                1);
  EXPECT_FLOAT_EQ(forest.predict(Rows<uint8_t>(0, 1)).front().mean, 3);
}

TEST(Forest, EqualSeedsGiveEqualForests) {
  LabelledRows data = drawRows(100, 5, 8, false, 2);
  Forest::Options options;
  options.tree.columns = Forest::computeSqrtColumns(5);
  Forest one(data.rows, data.targets, options, 42);
  Forest same(data.rows, data.targets, options, 42);
  Forest other(data.rows, data.targets, options, 43);
  double difference = 0;
  for (size_t row = 0; row < 100; ++row) {
    EXPECT_EQ(one.predict(data.rows)[row].mean,
              same.predict(data.rows)[row].mean);
    difference += std::abs(one.predict(data.rows)[row].mean -
                           other.predict(data.rows)[row].mean);
  }
  EXPECT_GT(difference, 0);
}

/// Returns the error on unseen points of a smooth function.
static double errorOf(auto fit, uint64_t seed) {
  auto truth = [](std::span<const uint8_t> row) {
    return std::sin(row[0] * 0.4) + (row[1] * row[2] * 0.05);
  };
  LabelledRows known = drawRows(400, 5, 10, false, seed);
  LabelledRows asked = drawRows(400, 5, 10, false, seed + 1000);
  for (size_t row = 0; row < 400; ++row)
    known.targets[row] = truth(known.rows[row]);
  std::vector<double> found = fit(known, asked.rows);
  double sum = 0;
  for (size_t row = 0; row < 400; ++row)
    sum += std::pow(found[row] - truth(asked.rows[row]), 2);
  return std::sqrt(sum / 400);
}

TEST(Forest, LearnsAFunction) { // whose standard deviation is 1.3
  for (bool drawsThresholds : {false, true}) {
    double error = errorOf(
        [&](const LabelledRows &known, const Rows<uint8_t> &asked) {
          Forest::Options options;
          options.tree.columns = Forest::computeColumnShare(5, .6);
          options.tree.drawsThresholds = drawsThresholds;
          options.bootstrap = !drawsThresholds;
          Forest forest(known.rows, known.targets, options, 1);
          std::vector<double> means;
          for (const Forest::Prediction &found : forest.predict(asked))
            means.push_back(found.mean);
          return means;
        },
        3);
    EXPECT_LT(error, 0.4) << drawsThresholds;
  }
}

TEST(BoostedTrees, LearnsAFunctionBetter) {
  double error = errorOf(
      [](const LabelledRows &known, const Rows<uint8_t> &asked) {
        BoostedTrees trees(known.rows, known.targets, BoostedTrees::Options(),
                           1);
        std::vector<float> found = trees.predict(asked);
        return std::vector<double>(found.begin(), found.end());
      },
      3);
  EXPECT_LT(error, 0.2);
}

TEST(BoostedTrees, EqualSeedsGiveEqualTreesAndWeightsCount) {
  LabelledRows data = drawRows(50, 4, 6, false, 2);
  BoostedTrees::Options options;
  BoostedTrees one(data.rows, data.targets, options, 4);
  BoostedTrees same(data.rows, data.targets, options, 4);
  EXPECT_EQ(one.predict(data.rows), same.predict(data.rows));
  std::vector<double> weights(50, 0);
  weights[7] = 2;
  BoostedTrees single(data.rows, data.targets, weights, options, 4);
  EXPECT_THAT(single.predict(data.rows),
              Each(static_cast<float>(data.targets[7])));
}

TEST(DecisionTree, LeavesOfManyRowsAreThoseOfEach) {
  LabelledRows data =
      drawRows(83, 6, 9, false, 6); // some beyond a multiple of eight
  Forest::Options options;
  options.trees = 10;
  Forest forest(data.rows, data.targets, options, 1);
  Rows<uint32_t> leaves = forest.leaves(data.rows);
  for (size_t row = 0; row < 83; ++row)
    for (size_t tree = 0; tree < 10; ++tree) {
      EXPECT_EQ(leaves[row][tree], forest.trees()[tree].leaf(data.rows[row]));
      EXPECT_TRUE(forest.trees()[tree].isLeaf(leaves[row][tree]));
    }
}

TEST(DecisionTree, PathHasTheColumnsThatDecide) {
  // Column 2 first, above its threshold column 0, then 2 again.
  DecisionTree tree({{1, 2, 4, 0, 0},
                     {1, 0, 255, 1, 0},
                     {3, 0, 1, 0, 0},
                     {3, 0, 255, 2, 0},
                     {5, 2, 6, 0, 0},
                     {5, 0, 255, 3, 0},
                     {6, 0, 255, 4, 0}});
  auto path = [&](std::vector<uint8_t> row) { return tree.path(row); };
  EXPECT_THAT(path({0, 0, 4}), ElementsAre(2));
  EXPECT_THAT(path({1, 0, 5}), ElementsAre(2, 0));
  EXPECT_THAT(path({2, 0, 5}), ElementsAre(2, 0));
  EXPECT_EQ(tree.nodes()[tree.leaf(std::vector<uint8_t>{2, 0, 7})].mean, 4);
  EXPECT_EQ(tree.nodes()[tree.leaf(std::vector<uint8_t>{2, 0, 6})].mean, 3);
  EXPECT_EQ(tree.nodes()[tree.leaf(std::vector<uint8_t>{1, 0, 6})].mean, 2);
}
