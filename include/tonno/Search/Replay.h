//===- A search on recorded times -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_REPLAY_H
#define TONNO_SEARCH_REPLAY_H

#include "tonno/Search/Recording.h"
#include "tonno/Search/SearchStrategy.h"

#include <limits>

namespace tonno {

/// How a recording is searched. At least one trial and one pending.
struct ReplayOptions {
  size_t trials = 400;
  /// Recorded; no trial begins when they are spent.
  double seconds = std::numeric_limits<double>::infinity();
  /// In times the optimum: a run ends when its best takes no longer. 0: never.
  double enough = 0;
  /// How many candidates are proposed before the oldest of them is observed.
  size_t pending = 1;
  /// The strategy sees times with this relative error, lognormal.
  double noise = 0;
  /// If not 0, finals choose the best, as a session's do: of up to 64 trials
  /// that seemed to be within six times the noise of the best, the one that is
  /// after measuring all of them to this relative error. They cost nothing.
  double finalNoise = 0;
  uint64_t seed = 0; ///< of the noise
};

/// A trial of a replay, with what is known after it.
struct ReplayStep {
  size_t trial = 0; ///< index in Recording::trials
  /// The recorded time of the best trial, the best as the strategy saw it or as
  /// finals would, in seconds; infinite while none was ok. With noise it may
  /// rise.
  double best = std::numeric_limits<double>::infinity();
  double spent = 0; ///< recorded seconds of all trials so far, failed ones too
};

struct ReplayRun {
  std::vector<ReplayStep> steps;
  double proposingSeconds = 0; ///< of this machine, within the strategy
  bool hasEnded = false; ///< the strategy proposed no more before the budget
                         ///< was spent
};

/// Runs the strategy, which is new, on the recording. A candidate that was not
/// recorded, or was proposed before, is an Error: the legal points are the
/// recorded ones.
///
/// Trials tell the strategy the recorded seconds as the ratio that it ranks by;
/// they are of no baseline.
Result<ReplayRun> replay(const Recording &recording, SearchStrategy &strategy,
                         const ReplayOptions &options);

} // namespace tonno

#endif // TONNO_SEARCH_REPLAY_H
