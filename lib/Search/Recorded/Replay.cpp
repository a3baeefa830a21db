//===- Searches on recorded spaces ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/Replay.h"
#include "tonno/Space/Random.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <deque>
#include <optional>
#include <system_error>
#include <thread>

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
        isKnown(recording.trials().size()) {
    Random errors(options.seed + 1);
    for (const RecordedTrial &trial : recording.trials()) {
      bounds.push_back(trial.usage.timeBound);
      if (bounds.back() && options.use.boundNoise > 0)
        bounds.back()->seconds *=
            std::exp(options.use.boundNoise * errors.normal());
    }
  }

  Result<ReplayRun> run();

private:
  bool hasBudget() const {
    ReplayStep last = result.steps.empty() ? ReplayStep() : result.steps.back();
    return submitted < options.trials && last.spent < options.seconds &&
           last.best > options.enough * recording.bestSeconds();
  }
  Result<void> fill();
  Result<void> compileMore();
  Result<void> submit(const Configuration &candidate);
  Trial getCompiled(size_t index) const;
  bool isPruned(size_t index) const;
  void prune(size_t index);
  size_t takeNext();
  void observe(size_t index);
  double best() const;

  const Recording &recording;
  SearchStrategy &strategy;
  const ReplayOptions &options;
  Random random, finals;
  std::vector<bool> isKnown;
  std::deque<size_t> pending; ///< trials that are to be observed
  size_t submitted = 0;
  std::vector<Finalist> finalists; ///< by their observed times
  std::vector<size_t> shelf;       ///< compiled, neither measured nor pruned
  std::vector<std::optional<TimeBound>> bounds; ///< by trial, with their errors
  bool areBoundsBroken = false;
  ReplayRun result;
};

} // namespace

/// Describes a candidate for a message; it may be of another space.
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
  ++result.compiled;
  if (options.use.compileAhead > 1) {
    const RecordedTrial &recorded = recording.trials()[*index];
    if (recorded.status == Status::compile_error) {
      observe(*index);
      return {};
    }
    Trial compiled = getCompiled(*index);
    shelf.push_back(*index);
    Stopwatch watch(result.proposingSeconds);
    strategy.survey({&compiled, 1});
    return {};
  }
  pending.push_back(*index);
  ++submitted;
  return {};
}

Trial Replayer::getCompiled(size_t index) const {
  const RecordedTrial &recorded = recording.trials()[index];
  Trial trial;
  trial.configuration = recorded.configuration;
  trial.usage = recorded.usage;
  trial.usage.timeBound = bounds[index];
  trial.compileSeconds = recorded.cost.compile;
  return trial;
}

bool Replayer::isPruned(size_t index) const {
  return options.use.usesBounds && !areBoundsBroken && !finalists.empty() &&
         bounds[index] &&
         bounds[index]->seconds > boundMargin * finalists.front().seen;
}

void Replayer::prune(size_t index) {
  Trial trial = getCompiled(index);
  trial.status = Status::bounded;
  trial.ratioBound = bounds[index]->seconds;
  ++result.bounded;
  Stopwatch watch(result.proposingSeconds);
  strategy.observe({&trial, 1});
}

/// Compiles enough candidates for the strategy to choose from.
Result<void> Replayer::compileMore() {
  for (size_t i = 0; i < options.use.compileAhead && hasBudget(); ++i) {
    std::vector<Configuration> proposed;
    {
      Stopwatch watch(result.proposingSeconds);
      proposed = strategy.propose(1);
    }
    result.hasEnded = proposed.empty();
    if (result.hasEnded)
      break;
    TONNO_TRY(submit(proposed.front()));
  }
  std::erase_if(shelf, [&](size_t index) {
    if (!isPruned(index))
      return false;
    prune(index);
    return true;
  });
  return {};
}

/// Returns the trial that the strategy has chosen to be measured.
size_t Replayer::takeNext() {
  std::vector<Trial> compiled;
  for (size_t index : shelf)
    compiled.push_back(getCompiled(index));
  Stopwatch watch(result.proposingSeconds);
  size_t chosen = strategy.choose(compiled);
  size_t index = shelf[chosen];
  shelf.erase(shelf.begin() + static_cast<ptrdiff_t>(chosen));
  return index;
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
      TONNO_TRY(submit(candidate));
    result.hasEnded = proposed.empty();
    if (result.hasEnded)
      break;
  }
  return {};
}

static double withNoise(double seconds, double noise, Random &random) {
  return noise > 0 ? seconds * std::exp(noise * random.normal()) : seconds;
}

/// Returns the recorded seconds of the best trial. Precondition: one was ok.
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
  trial.usage = getCompiled(index).usage;
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
    areBoundsBroken |= bounds[index] && seen < bounds[index]->seconds;
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
  while (options.use.compileAhead > 1 && hasBudget()) {
    TONNO_TRY(compileMore());
    if (shelf.empty() && result.hasEnded)
      break;
    if (shelf.empty())
      continue;
    ++submitted;
    observe(takeNext());
  }
  while (options.use.compileAhead == 1) {
    TONNO_TRY(fill());
    if (pending.empty())
      break;
    size_t oldest = pending.front();
    pending.pop_front();
    if (isPruned(oldest)) {
      --submitted;
      prune(oldest);
      continue;
    }
    observe(oldest);
  }
  return std::move(result);
}

Result<ReplayRun> tonno::replay(const Recording &recording,
                                SearchStrategy &strategy,
                                const ReplayOptions &options) {
  return Replayer(recording, strategy, options).run();
}

namespace {

class Grid {
public:
  Grid(std::span<const Recording> recordings,
       std::span<const ReplayStrategy> strategies,
       const ReplayGridOptions &options);

  Result<ReplayGrid> run();

private:
  void work();
  bool startsOn(std::vector<std::jthread> &threads);
  Result<RunScore> runCell(const ReplayStrategy &strategy,
                           const ReplaySpace &space, uint64_t seed) const;

  std::span<const ReplayStrategy> strategies;
  const ReplayGridOptions &options;
  std::vector<ReplaySpace> spaces;
  std::vector<std::optional<Result<RunScore>>> cells; ///< seeds vary fastest
  std::atomic<size_t> next = 0;
};

} // namespace

Grid::Grid(std::span<const Recording> recordings,
           std::span<const ReplayStrategy> strategies,
           const ReplayGridOptions &options)
    : strategies(strategies), options(options),
      cells(strategies.size() * recordings.size() * options.seeds) {
  for (const Recording &recording : recordings)
    spaces.push_back(
        {recording, LegalSpace::of(recording.space(), recording.points())});
}

Result<RunScore> Grid::runCell(const ReplayStrategy &strategy,
                               const ReplaySpace &space, uint64_t seed) const {
  auto search = TONNO_TRY(strategy.create(space, seed));
  ReplayOptions replayed = options.replay;
  replayed.seed = ~seed; // other numbers than the strategy's own
  replayed.use = strategy.use;
  auto run = replay(space.recording, *search, replayed);
  if (!run)
    return run.error().prefixed("strategy '" + strategy.name + "' with seed " +
                                std::to_string(seed));
  return scoreRun(*run, space.recording, replayed);
}

void Grid::work() {
  for (size_t cell = next++; cell < cells.size(); cell = next++) {
    size_t row = cell / options.seeds;
    cells[cell] =
        runCell(strategies[row / spaces.size()], spaces[row % spaces.size()],
                options.firstSeed + cell % options.seeds);
  }
}

/// Starts a thread; returns false if the system has no more: the existing ones
/// do the work.
bool Grid::startsOn(std::vector<std::jthread> &threads) {
  try {
    threads.emplace_back([this] { work(); });
    return true;
  } catch (const std::system_error &) {
    return false;
  }
}

Result<ReplayGrid> Grid::run() {
  {
    std::vector<std::jthread> threads;
    size_t useful = std::min<size_t>(options.threads, cells.size());
    while (threads.size() + 1 < useful && startsOn(threads))
      continue;
    work();
  }
  ReplayGrid grid(strategies.size());
  auto cell = cells.begin();
  for (auto &row : grid) {
    row.resize(spaces.size());
    for (std::vector<RunScore> &scores : row)
      for (size_t seed = 0; seed < options.seeds; ++seed, ++cell) {
        if (!**cell)
          return (*cell)->error();
        scores.push_back(std::move(***cell));
      }
  }
  return grid;
}

Result<ReplayGrid> tonno::replayGrid(std::span<const Recording> recordings,
                                     std::span<const ReplayStrategy> strategies,
                                     const ReplayGridOptions &options) {
  return Grid(recordings, strategies, options).run();
}

/// Limits the seeds of a replay: the standard error of their mean is 1 % of the
/// deviation between runs.
static constexpr size_t mostSeeds = 10000;
static constexpr unsigned mostThreads = 1024;

Result<void> tonno::checkReplayOptions(const ReplayGridOptions &options) {
  if (options.replay.trials == 0)
    return Error{"the budget must be at least 1 trial, not 0"};
  if (!(options.replay.seconds > 0))
    return Error{"the budget must be more than 0 seconds"};
  if (options.seeds == 0)
    return Error{"the number of seeds must be at least 1, not 0"};
  if (options.seeds > mostSeeds)
    return Error{std::to_string(options.seeds) +
                 " seeds need too much memory; give at most " +
                 std::to_string(mostSeeds)};
  if (options.threads > mostThreads)
    return Error{std::to_string(options.threads) +
                 " threads are too many; give at most " +
                 std::to_string(mostThreads)};
  if (options.replay.pending == 0)
    return Error{"the number of pending candidates must be at least 1, not 0"};
  if (!std::isfinite(options.replay.noise) || options.replay.noise < 0)
    return Error{"the noise must be a relative error, such as 0.03, not " +
                 std::to_string(options.replay.noise)};
  return {};
}
