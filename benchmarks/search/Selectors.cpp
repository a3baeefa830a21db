//===- Selectors of candidates --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Selectors.h"
#include "BoostedTrees.h"
#include "NeuralNetwork.h"

#include <algorithm>
#include <numeric>

using namespace tonno;

static std::vector<size_t> shuffled(size_t count, Random &random) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(std::span(order));
  return order;
}

/// Returns the indices by descending score; ties are in any order.
template <typename Score>
static std::vector<size_t> byScore(const std::vector<Score> &scores,
                                   Random &random) {
  std::vector<size_t> order = shuffled(scores.size(), random);
  std::vector<size_t> turn(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    turn[order[i]] = i;
  std::ranges::sort(order, {},
                    [&](size_t i) { return std::pair(-scores[i], turn[i]); });
  return order;
}

static std::vector<size_t> atRandom(const RankingTask &task, Random &random) {
  return shuffled(task.candidates.bins.size(), random);
}

static std::vector<size_t> classify(const RankingTask &task, Random &random,
                                    double penalty) {
  auto model = LfboClassifier().fit(task.known.points.bins, task.known.ratios,
                                    random.fork());
  size_t count = task.candidates.bins.size();
  if (!model)
    return shuffled(count, random);
  if (penalty > 0)
    return selectDiverse(*model, task.candidates.bins, count, penalty);
  std::vector<float> means;
  for (Forest::Prediction each : model->predict(task.candidates.bins))
    means.push_back(each.mean);
  return byScore(means, random);
}

static std::vector<size_t> byClassifier(const RankingTask &task,
                                        Random &random) {
  return classify(task, random, 0);
}

static std::vector<size_t> byDiverseClassifier(const RankingTask &task,
                                               Random &random) {
  return classify(task, random, 1);
}

static std::vector<size_t> forest(const TrainingSet &set,
                                  const EncodedPoints &candidates,
                                  Random &random) {
  Forest::Options options;
  options.tree.columns =
      Forest::computeColumnShare(set.points.bins.columns(), 0.6);
  std::vector<float> means;
  for (Forest::Prediction each :
       Forest(set.points.bins, set.qualities, options, random.fork())
           .predict(candidates.bins))
    means.push_back(each.mean);
  return byScore(means, random);
}

static std::vector<size_t> boosted(const TrainingSet &set,
                                   const EncodedPoints &candidates,
                                   Random &random) {
  return byScore(BoostedTrees(set.points.bins, set.qualities, {}, random.fork())
                     .predict(candidates.bins),
                 random);
}

static std::vector<size_t> network(const TrainingSet &set,
                                   const EncodedPoints &candidates,
                                   Random &random) {
  return byScore(
      NeuralNetwork(set.points.coordinates, set.qualities, {}, random.fork())
          .predict(candidates.coordinates),
      random);
}

using Model = std::vector<size_t>(const TrainingSet &, const EncodedPoints &,
                                  Random &);

template <Model *model>
static std::vector<size_t> byTimes(const RankingTask &task, Random &random) {
  return model(task.succeeded, task.candidates, random);
}

template <Model *model>
static std::vector<size_t> byQualities(const RankingTask &task,
                                       Random &random) {
  return model(task.known, task.candidates, random);
}

static std::vector<size_t>
bySurrogate(Surrogate &surrogate, const RankingTask &task, Random &random) {
  surrogate.fit(task.known, random);
  return byScore(surrogate.score(task.candidates), random);
}

static std::vector<size_t> byForestImprovement(const RankingTask &task,
                                               Random &random) {
  return bySurrogate(*createForestSurrogate(task.encoding.columnKnobs()), task,
                     random);
}

static std::vector<size_t> byProcess(const RankingTask &task, Random &random) {
  return bySurrogate(*createProcessSurrogate(task.encoding.columnKnobs()), task,
                     random);
}

static std::vector<size_t> byEnsemble(const RankingTask &task, Random &random) {
  std::vector<double> sums(task.candidates.bins.size());
  for (const std::unique_ptr<Surrogate> &surrogate :
       {createForestSurrogate(task.encoding.columnKnobs()),
        createClassifierSurrogate(task.encoding.columnKnobs()),
        createProcessSurrogate(task.encoding.columnKnobs())}) {
    std::vector<size_t> order = bySurrogate(*surrogate, task, random);
    for (size_t place = 0; place < order.size(); ++place)
      sums[order[place]] -= static_cast<double>(place);
  }
  return byScore(sums, random);
}

std::span<const Selector> tonno::selectors() {
  static const Selector all[] = {
      {"random", atRandom},
      {"classifier", byClassifier},
      {"classifier with diversity", byDiverseClassifier},
      {"forest, times", byTimes<forest>},
      {"boosted trees, times", byTimes<boosted>},
      {"neural network, times", byTimes<network>},
      {"forest, qualities", byQualities<forest>},
      {"boosted trees, qualities", byQualities<boosted>},
      {"neural network, qualities", byQualities<network>},
      {"forest, expected improvement", byForestImprovement},
      {"process, expected improvement", byProcess},
      {"the ensemble's three", byEnsemble},
  };
  return all;
}
