//===- A search on recorded times -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/Replay.h"
#include "tonno/Search/Random.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>

using namespace tonno;

namespace {

/// Adds up what passes while it lives.
class Stopwatch {
public:
  explicit Stopwatch(double &seconds) : seconds(seconds) {}
  ~Stopwatch() {
    seconds += std::chrono::duration<double>(Clock::now() - begin).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  double &seconds;
  Clock::time_point begin = Clock::now();
};

/// A trial that was ok, in seconds.
struct Finalist {
  double seen;     ///< by the strategy
  double measured; ///< in finals
  double recorded;
};

class Replayer {
public:
  Replayer(const Recording &recording, SearchStrategy &strategy,
           const ReplayOptions &options)
      : recording(recording), strategy(strategy), options(options),
        random(options.seed), finals(Random(options.seed).fork()),
        isKnown(recording.trials().size()) {}

  Result<ReplayRun> run();

private:
  bool hasBudget() const {
    ReplayStep last = result.steps.empty() ? ReplayStep() : result.steps.back();
    return submitted < options.trials && last.spent < options.seconds &&
           last.best > options.enough * recording.bestSeconds();
  }
  Result<void> fill();
  Result<void> submit(const Configuration &candidate);
  void observe(size_t index);
  double best() const;

  const Recording &recording;
  SearchStrategy &strategy;
  const ReplayOptions &options;
  Random random, finals;
  std::vector<bool> isKnown;
  std::deque<size_t> pending; ///< trials that are to be observed
  size_t submitted = 0;
  std::vector<Finalist> finalists; ///< by what was seen
  ReplayRun result;
};

} // namespace

/// A candidate for people, who may have been given one of another space.
static std::string describe(const SearchSpace &space,
                            const Configuration &candidate) {
  const std::vector<Knob> &knobs = space.knobs();
  bool isOfSpace = candidate.indices.size() == knobs.size();
  for (size_t i = 0; isOfSpace && i < knobs.size(); ++i)
    isOfSpace = candidate.indices[i] < knobs[i].options.size();
  return isOfSpace ? printed(space.values(candidate)) : "a candidate";
}

Result<void> Replayer::submit(const Configuration &candidate) {
  auto refuse = [&](const std::string &why) {
    return Error{"the strategy proposed " +
                 describe(recording.space(), candidate) + why};
  };
  auto index = recording.find(candidate);
  if (!index)
    return refuse(", which '" + recording.name() + "' does not have");
  if (isKnown[*index])
    return refuse(" of '" + recording.name() + "' twice");
  isKnown[*index] = true;
  pending.push_back(*index);
  ++submitted;
  return {};
}

/// Asks for what may be pending.
Result<void> Replayer::fill() {
  while (pending.size() < options.pending && hasBudget()) {
    size_t wanted =
        std::min({options.pending - pending.size(), options.trials - submitted,
                  recording.trials().size()});
    std::vector<Configuration> proposed;
    {
      Stopwatch watch(result.proposingSeconds);
      proposed = strategy.propose(wanted);
    }
    if (proposed.size() > wanted)
      return Error{"the strategy proposed more than it was asked for"};
    for (const Configuration &candidate : proposed)
      if (auto done = submit(candidate); !done)
        return done;
    result.hasEnded = proposed.empty();
    if (result.hasEnded)
      break;
  }
  return {};
}

static double withNoise(double seconds, double noise, Random &random) {
  return noise > 0 ? seconds * std::exp(noise * random.normal()) : seconds;
}

/// The recorded seconds of the best trial. Precondition: one was ok.
double Replayer::best() const {
  if (options.finalNoise == 0)
    return finalists.front().recorded;
  constexpr size_t most = 64;
  double limit = finalists.front().seen * std::exp(6 * options.noise);
  auto end = std::ranges::find_if(
      finalists, [&](const Finalist &each) { return each.seen > limit; });
  auto count = std::min<ptrdiff_t>(end - finalists.begin(), most);
  return std::ranges::min_element(finalists.begin(), finalists.begin() + count,
                                  {}, &Finalist::measured)
      ->recorded;
}

void Replayer::observe(size_t index) {
  const RecordedTrial &recorded = recording.trials()[index];
  ReplayStep step = {index};
  if (!result.steps.empty()) {
    step = result.steps.back();
    step.trial = index;
  }
  step.spent += recorded.cost.total();
  Trial trial;
  trial.configuration = recorded.configuration;
  trial.status = recorded.status;
  trial.compileSeconds = recorded.cost.compile;
  trial.runSeconds = recorded.cost.run + recorded.cost.other;
  if (!recorded.ok())
    trial.message = "as recorded";
  else {
    double seen = withNoise(recorded.seconds, options.noise, random);
    trial.measurement.emplace();
    trial.measurement->seconds = {1, seen, seen, seen, seen};
    trial.measurement->ratio = seen;
    trial.measurement->ratioInterval = {seen, seen};
    double measured = withNoise(recorded.seconds, options.finalNoise, finals);
    finalists.insert(
        std::ranges::upper_bound(finalists, seen, {}, &Finalist::seen),
        {seen, measured, recorded.seconds});
    step.best = best();
  }
  result.steps.push_back(step);
  Stopwatch watch(result.proposingSeconds);
  strategy.observe({&trial, 1});
}

Result<ReplayRun> Replayer::run() {
  for (;;) {
    if (auto filled = fill(); !filled)
      return filled.error();
    if (pending.empty())
      break;
    size_t oldest = pending.front();
    pending.pop_front();
    observe(oldest);
  }
  return std::move(result);
}

Result<ReplayRun> tonno::replay(const Recording &recording,
                                SearchStrategy &strategy,
                                const ReplayOptions &options) {
  return Replayer(recording, strategy, options).run();
}
