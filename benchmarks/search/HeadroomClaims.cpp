//===- Claims of what is left, and what was truly left --------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "search/HeadroomClaims.h"

#include "tonno/Search/RemainingGain.h"
#include "tonno/Search/Replay.h"
#include "tonno/Strategies/Strategies.h"

#include <algorithm>
#include <limits>

using namespace tonno;

HeadroomClaims::HeadroomClaims(const Recording &recording)
    : recording(recording), optimum(std::numeric_limits<double>::infinity()) {
  std::vector<Configuration> points;
  for (const RecordedTrial &trial : recording.trials()) {
    points.push_back(trial.configuration);
    if (trial.ok())
      optimum = std::min(optimum, trial.seconds);
  }
  legal = LegalSpace::of(recording.space(), points);
}

/// Returns the first trials of a run as a session reports them.
static std::vector<Trial> makeTrials(const Recording &recording,
                                     std::span<const ReplayStep> steps) {
  std::vector<Trial> trials;
  for (const ReplayStep &step : steps) {
    const RecordedTrial &recorded = recording.trials()[step.trial];
    Trial &trial = trials.emplace_back();
    trial.configuration = recorded.configuration;
    trial.status = recorded.status;
    if (!recorded.ok())
      continue;
    trial.measurement.emplace();
    trial.measurement->ratio = recorded.seconds;
  }
  return trials;
}

Result<std::vector<HeadroomClaim>>
HeadroomClaims::replaySession(const std::string &strategy,
                              std::span<const size_t> checked,
                              uint64_t seed) const {
  auto search = createStrategy(strategy, legal, seed);
  if (!search)
    return search.error();
  ReplayOptions options;
  options.trials = checked.back();
  options.pending = 4;
  options.noise = 0.005;
  options.seed = seed;
  auto run = TONNO_TRY(replay(recording, **search, options));
  std::vector<HeadroomClaim> claims;
  for (size_t n : checked) {
    if (run.steps.size() < n)
      continue;
    std::vector<Trial> trials =
        makeTrials(recording, std::span(run.steps).first(n));
    double best = std::numeric_limits<double>::infinity();
    for (const Trial &trial : trials)
      if (trial.ok())
        best = std::min(best, trial.measurement->ratio);
    claims.push_back(
        {n, boundRemainingGain(*legal, trials, seed), best / optimum - 1});
  }
  return claims;
}
