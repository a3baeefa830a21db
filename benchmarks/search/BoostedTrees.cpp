//===- Boosted trees ------------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BoostedTrees.h"
#include "tonno/Space/Random.h"

#include <algorithm>
#include <numeric>

using namespace tonno;

BoostedTrees::BoostedTrees(const Rows<uint8_t> &rows,
                           std::span<const double> targets,
                           std::span<const double> givenWeights,
                           const Options &options, uint64_t seed)
    : rate(options.rate) {
  Forest::Options one;
  one.trees = 1;
  one.bootstrap = false;
  one.tree.leastLeaf = options.leastLeaf;
  one.tree.mostDepth = options.mostDepth;

  std::vector<double> weights(rows.size(), 1);
  for (size_t row = 0; row < givenWeights.size(); ++row)
    weights[row] = std::max(givenWeights[row], 0.0);
  base =
      std::inner_product(weights.begin(), weights.end(), targets.begin(), 0.0) /
      std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> unexplained(targets.begin(), targets.end());
  for (double &target : unexplained)
    target -= base;

  Random random(seed);
  std::vector<double> drawn(rows.size());
  for (size_t tree = 0; tree < options.trees; ++tree) {
    for (size_t row = 0; row < rows.size(); ++row)
      drawn[row] = random.uniform() < options.share ? weights[row] : 0;
    const Forest &last =
        trees.emplace_back(rows, unexplained, drawn, one, random.fork());
    std::vector<Forest::Prediction> explained = last.predict(rows);
    for (size_t row = 0; row < rows.size(); ++row)
      unexplained[row] -= rate * explained[row].mean;
  }
}

std::vector<float> BoostedTrees::predict(const Rows<uint8_t> &rows) const {
  std::vector<double> sums(rows.size(), base);
  for (const Forest &tree : trees) {
    std::vector<Forest::Prediction> explained = tree.predict(rows);
    for (size_t row = 0; row < rows.size(); ++row)
      sums[row] += rate * explained[row].mean;
  }
  return {sums.begin(), sums.end()};
}

namespace {

class BoostedSurrogate : public Surrogate {
public:
  std::string_view name() const override { return "boosted"; }

  void fit(const TrainingSet &set, Random &random) override {
    trees.emplace(set.points.bins, set.qualities, BoostedTrees::Options(),
                  random.fork());
  }

  std::vector<double> score(const EncodedPoints &points) const override {
    std::vector<float> scores = trees->predict(points.bins);
    return {scores.begin(), scores.end()};
  }

private:
  std::optional<BoostedTrees> trees;
};

} // namespace

std::unique_ptr<Surrogate>
tonno::createBoostedSurrogate(std::span<const uint32_t>) {
  return std::make_unique<BoostedSurrogate>();
}
