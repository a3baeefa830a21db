//===- Models that rank candidates ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Surrogate.h"
#include "tonno/Search/Forest.h"

#include <algorithm>
#include <cmath>

using namespace tonno;

static double greatest(std::span<const double> values) {
  return values.empty() ? 0 : *std::ranges::max_element(values);
}

namespace {

class ForestSurrogate : public Surrogate {
public:
  std::string_view name() const override { return "forest"; }
  bool scoresImprovement() const override { return true; }

  void fit(const TrainingSet &set, Random &random) override {
    Forest::Options options;
    options.trees = 40;
    options.tree.columns =
        Forest::computeColumnShare(set.points.bins.columns(), 0.6);
    forest.emplace(set.points.bins, set.qualities, options, random.fork());
    best = greatest(set.qualities);
  }

  std::vector<double> score(const EncodedPoints &points) const override {
    std::vector<double> scores;
    for (Forest::Prediction each : forest->predict(points.bins))
      scores.push_back(expectedImprovement(
          each.mean, std::sqrt(each.variance) + 1e-3, best));
    return scores;
  }

private:
  std::optional<Forest> forest;
  double best = 1;
};

class ClassifierSurrogate : public Surrogate {
public:
  std::string_view name() const override { return "classifier"; }

  void fit(const TrainingSet &set, Random &random) override {
    forest = LfboClassifier{0.15, 60}.fit(set.points.bins, set.ratios,
                                          random.fork());
  }

  /// Scores points; equal scores if all observed points were good, or none.
  std::vector<double> score(const EncodedPoints &points) const override {
    std::vector<double> scores;
    if (!forest)
      scores.resize(points.bins.size());
    else
      for (Forest::Prediction each : forest->predict(points.bins))
        scores.push_back(each.mean);
    return scores;
  }

private:
  std::optional<Forest> forest;
};

class ProcessSurrogate : public Surrogate {
public:
  explicit ProcessSurrogate(std::span<const uint32_t> columnKnobs)
      : process(columnKnobs) {}

  std::string_view name() const override { return "process"; }
  bool scoresImprovement() const override { return true; }

  void fit(const TrainingSet &set, Random &random) override {
    process.fit(set.points.coordinates, set.qualities, random);
    best = greatest(set.qualities);
  }

  std::vector<double> score(const EncodedPoints &points) const override {
    std::vector<double> scores;
    for (GaussianProcess::Prediction each : process.predict(points.coordinates))
      scores.push_back(expectedImprovement(
          each.mean, std::sqrt(std::max(each.variance, 1e-12f)), best));
    return scores;
  }

private:
  GaussianProcess process;
  double best = 1;
};

} // namespace

std::unique_ptr<Surrogate>
tonno::createForestSurrogate(std::span<const uint32_t>) {
  return std::make_unique<ForestSurrogate>();
}

std::unique_ptr<Surrogate>
tonno::createClassifierSurrogate(std::span<const uint32_t>) {
  return std::make_unique<ClassifierSurrogate>();
}

std::unique_ptr<Surrogate>
tonno::createProcessSurrogate(std::span<const uint32_t> columnKnobs) {
  return std::make_unique<ProcessSurrogate>(columnKnobs);
}
