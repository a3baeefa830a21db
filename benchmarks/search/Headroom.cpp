//===- Coverage and sharpness of claims of what is left -------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replays searches on recorded spaces, and compares the claims of
// boundRemainingGain with what was truly left:
//
//   tonno-benchmark-headroom [--seeds=N] RECORDING...
//
//===----------------------------------------------------------------------===//

#include "tonno/Core/Statistics.h"
#include "tonno/Search/RemainingGain.h"
#include "tonno/Search/Replay.h"

#include <charconv>
#include <cstdio>
#include <map>
#include <string_view>

using namespace tonno;

namespace {

/// Claims after a number of trials.
struct Claims {
  size_t sessions = 0, holding = 0;
  std::vector<double> excesses; ///< over what was left

  void add(std::optional<double> claim, double left) {
    ++sessions;
    if (!claim)
      return;
    holding += left <= *claim;
    excesses.push_back(*claim - left);
  }
  void print(const std::string &name) const {
    std::printf("%-34s %8zu %8zu", name.c_str(), sessions, excesses.size());
    if (excesses.empty())
      std::printf("\n");
    else
      std::printf(" %8.1f %% %8.1f\n",
                  100.0 * static_cast<double>(holding) /
                      static_cast<double>(excesses.size()),
                  100 * median(excesses));
  }
};

} // namespace

static constexpr size_t checked[] = {60, 90, 120};

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

static int fail(const std::string &message) {
  std::fprintf(stderr, "tonno-benchmark-headroom: error: %s\n",
               message.c_str());
  return 1;
}

int main(int argc, char **argv) {
  uint64_t seeds = 20;
  std::map<size_t, Claims> all;
  std::printf("%-34s %8s %8s %10s %8s\n", "space, trials", "sessions", "claims",
              "hold", "excess");
  for (std::string_view word : std::span(argv, size_t(argc)).subspan(1)) {
    if (word.starts_with("--seeds=")) {
      word.remove_prefix(8);
      if (std::from_chars(word.data(), word.data() + word.size(), seeds).ec !=
          std::errc())
        return fail("'--seeds' is no number");
      continue;
    }
    auto recording = readRecording(word);
    if (!recording)
      return fail(recording.error().message);
    std::vector<Configuration> points;
    double optimum = std::numeric_limits<double>::infinity();
    for (const RecordedTrial &trial : recording->trials()) {
      points.push_back(trial.configuration);
      if (trial.ok())
        optimum = std::min(optimum, trial.seconds);
    }
    auto legal = LegalSpace::of(recording->space(), points);
    std::map<size_t, Claims> own;
    for (uint64_t seed = 0; seed < seeds; ++seed) {
      auto strategy = createEnsembleSearch(legal, seed);
      ReplayOptions options;
      options.trials = checked[2];
      options.pending = 4;
      options.noise = 0.005;
      options.seed = seed;
      auto run = replay(*recording, *strategy, options);
      if (!run)
        return fail(run.error().message);
      for (size_t n : checked) {
        if (run->steps.size() < n)
          continue;
        auto steps = std::span(run->steps).first(n);
        std::vector<Trial> trials = makeTrials(*recording, steps);
        double best = std::numeric_limits<double>::infinity();
        for (const Trial &trial : trials)
          if (trial.ok())
            best = std::min(best, trial.measurement->ratio);
        auto claim = boundRemainingGain(*legal, trials, seed);
        own[n].add(claim, best / optimum - 1);
        all[n].add(claim, best / optimum - 1);
      }
    }
    for (const auto &[n, claims] : own)
      claims.print(recordingName(word) + ", " + std::to_string(n));
  }
  for (const auto &[n, claims] : all)
    claims.print("all, " + std::to_string(n));
  return 0;
}
