//===- Worth of a prior ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Prior/PriorTest.h"
#include "tonno/Prior/PredictFastest.h"
#include "tonno/Prior/PriorSearch.h"
#include "tonno/Search/Replay.h"
#include "tonno/Space/Random.h"
#include "PriorCovariance.h"
#include "PriorModel.h"

#include <algorithm>

using namespace tonno;

namespace {

/// Fractions of the optimum that a search has reached.
struct Reached {
  double first = 0;
  double all = 0;
  double goal = 0; ///< trials to within 5 %
};

} // namespace

static Result<Reached> search(const Recording &recording,
                              SearchStrategy &strategy,
                              const PriorTestOptions &asked) {
  constexpr double goal = 1.05;
  ReplayOptions options;
  options.trials = std::max(asked.trials, asked.goalTrials);
  auto run = TONNO_TRY(replay(recording, strategy, options));
  Reached reached = {0, 0, static_cast<double>(asked.goalTrials)};
  for (size_t i = 0; i < run.steps.size(); ++i) {
    double fraction = recording.bestSeconds() / run.steps[i].best;
    if (i == 0)
      reached.first = fraction;
    if (i < asked.trials)
      reached.all = fraction;
    if (fraction * goal >= 1)
      reached.goal = std::min(reached.goal, static_cast<double>(i + 1));
  }
  return reached;
}

/// Rates what a prior chooses without trials.
static void rateChoice(const Recording &recording, const Prior &prior,
                       const PriorTask &task, PriorScore &score) {
  const RecordedTrial &standard = recording.trials().front();
  if (!standard.ok())
    return;
  std::vector<Knob> knobs = recording.space().knobs();
  for (size_t i = 0; i < knobs.size(); ++i)
    knobs[i].defaultIndex = standard.configuration.indices[i];
  auto chosen = predictFastest(SearchSpace(std::move(knobs)), prior, task,
                               /*seed=*/0, recording.points());
  score.defaultFraction = score.choiceFraction =
      recording.bestSeconds() / standard.seconds;
  if (!chosen)
    return;
  score.expectedSpeedup = chosen->speedup;
  for (const RecordedTrial &trial : recording.trials())
    if (trial.configuration == chosen->configuration)
      // A build refuses what fails, and has the default.
      score.choiceFraction = trial.ok()
                                 ? recording.bestSeconds() / trial.seconds
                                 : score.defaultFraction;
}

static void changeLabels(PriorSource &source, PriorLabels labels,
                         uint64_t seed) {
  if (labels == PriorLabels::opposite) {
    double worst = 0;
    for (const PriorPoint &point : source.points)
      worst = std::max(worst, point.loss);
    for (PriorPoint &point : source.points)
      point.loss = worst - point.loss;
  }
  if (labels != PriorLabels::shuffled)
    return;
  Random random(seed);
  for (size_t i = source.points.size(); i > 1; --i)
    std::swap(source.points[i - 1].loss, source.points[random.below(i)].loss);
}

Result<std::vector<PriorScore>>
tonno::testPrior(std::span<const Recording> recordings,
                 const PriorTestOptions &options) {
  std::vector<PriorSource> all = makePriorSources(recordings);
  std::vector<PriorScore> scores;
  for (size_t i = 0; i < recordings.size(); ++i) {
    std::vector<PriorSource> others;
    for (const PriorSource &source : all)
      if (!areOfOneKernel(source.task, all[i].task) ||
          (!options.leavesKernelOut && source.task.chip != all[i].task.chip))
        others.push_back(source);
    auto teach = [&](uint64_t seed) {
      std::vector<PriorSource> taught = others;
      for (PriorSource &source : taught)
        changeLabels(source, options.labels, seed);
      return learnPrior(std::move(taught));
    };
    Prior prior = teach(0);
    PriorScore score = {recordings[i].name()};
    score.sources = PriorModel(prior, all[i].task).sources().size();
    auto legal = LegalSpace::of(recordings[i].space(), recordings[i].points());
    rateChoice(recordings[i], prior, all[i].task, score);
    auto count = static_cast<double>(options.seeds);
    for (uint64_t seed = 0; seed < options.seeds; ++seed) {
      if (options.labels == PriorLabels::shuffled && seed > 0)
        prior = teach(seed);
      PriorSearch with(legal, prior, all[i].task,
                       createEnsembleSearch(legal, seed), seed,
                       PriorSearch::Options());
      auto warm = TONNO_TRY(search(recordings[i], with, options));
      auto without = createEnsembleSearch(legal, seed);
      auto cold = TONNO_TRY(search(recordings[i], *without, options));
      score.first += warm.first / count;
      score.withPrior += warm.all / count;
      score.withoutPrior += cold.all / count;
      score.goalWithPrior += warm.goal / count;
      score.goalWithoutPrior += cold.goal / count;
    }
    scores.push_back(std::move(score));
  }
  return scores;
}
