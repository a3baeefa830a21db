//===- Worth of a prior ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Prior/PriorTest.h"
#include "tonno/Prior/PriorSearch.h"
#include "tonno/Search/Replay.h"

#include <algorithm>

using namespace tonno;

static bool areOfOneKernel(const PriorTask &one, const PriorTask &other) {
  return one.features == other.features && one.knobs == other.knobs;
}

/// Returns the fractions of the optimum after the first trial and after all.
static Result<std::pair<double, double>> search(const Recording &recording,
                                                SearchStrategy &strategy,
                                                size_t trials) {
  ReplayOptions options;
  options.trials = trials;
  auto run = TONNO_TRY(replay(recording, strategy, options));
  if (run.steps.empty())
    return std::pair(0.0, 0.0);
  return std::pair(recording.bestSeconds() / run.steps.front().best,
                   recording.bestSeconds() / run.steps.back().best);
}

Result<std::vector<PriorScore>>
tonno::testPrior(std::span<const Recording> recordings,
                 const PriorTestOptions &options) {
  std::vector<PriorSource> all;
  for (const Recording &recording : recordings)
    all.push_back(makePriorSource(recording));
  std::vector<PriorScore> scores;
  for (size_t i = 0; i < recordings.size(); ++i) {
    std::vector<PriorSource> others;
    for (const PriorSource &source : all)
      if (!areOfOneKernel(source.task, all[i].task) ||
          (!options.leavesKernelOut && source.task.chip != all[i].task.chip))
        others.push_back(source);
    Prior prior = learnPrior(std::move(others));
    PriorScore score = {recordings[i].name()};
    score.sources = PriorModel(prior, all[i].task).sources().size();
    auto legal =
        LegalSpace::of(recordings[i].space(), recordings[i].points());
    auto count = static_cast<double>(options.seeds);
    for (uint64_t seed = 0; seed < options.seeds; ++seed) {
      PriorSearch with(legal, prior, all[i].task,
                       createEnsembleSearch(legal, seed), seed,
                       PriorSearch::Options());
      auto [first, last] =
          TONNO_TRY(search(recordings[i], with, options.trials));
      auto without = createEnsembleSearch(legal, seed);
      auto [_, cold] =
          TONNO_TRY(search(recordings[i], *without, options.trials));
      score.first += first / count;
      score.withPrior += last / count;
      score.withoutPrior += cold / count;
    }
    scores.push_back(std::move(score));
  }
  return scores;
}
