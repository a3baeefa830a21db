//===- Strategies on recorded spaces --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/ReplayGrid.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <system_error>
#include <thread>

using namespace tonno;

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
  auto search = strategy.create(space, seed);
  if (!search)
    return search.error();
  ReplayOptions replayed = options.replay;
  replayed.seed = ~seed; // other numbers than the strategy's own
  auto run = replay(space.recording, **search, replayed);
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

/// False if the system has no more of them: those there are do the work.
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

Result<std::vector<ReplayStrategy>>
tonno::namedStrategies(std::span<const std::string> names) {
  std::vector<ReplayStrategy> strategies;
  for (const std::string &name : names) {
    if (auto known = checkStrategyName(name); !known)
      return known.error();
    strategies.push_back(
        {name, [name](const ReplaySpace &space, uint64_t seed) {
           return createStrategy(name, space.legal, seed);
         }});
  }
  if (strategies.empty())
    return Error{"no strategy is named"};
  return strategies;
}

/// Their mean is known to 1 % of what one differs from another.
static constexpr size_t mostSeeds = 10000;
static constexpr unsigned mostThreads = 1024;

Result<void> tonno::checkReplayOptions(const ReplayGridOptions &options) {
  if (options.replay.trials == 0)
    return Error{"a budget of 0 trials finds nothing; give at least 1"};
  if (!(options.replay.seconds > 0))
    return Error{"a budget of no seconds finds nothing; give more than 0"};
  if (options.seeds == 0)
    return Error{"0 seeds are no runs; give at least 1"};
  if (options.seeds > mostSeeds)
    return Error{std::to_string(options.seeds) +
                 " seeds are more than what is kept of them fits in memory; "
                 "give at most " +
                 std::to_string(mostSeeds)};
  if (options.threads > mostThreads)
    return Error{std::to_string(options.threads) +
                 " threads are more than a machine has; give at most " +
                 std::to_string(mostThreads)};
  if (options.replay.pending == 0)
    return Error{"with 0 candidates pending nothing runs; give at least 1"};
  if (!std::isfinite(options.replay.noise) || options.replay.noise < 0)
    return Error{"noise is a relative error, such as 0.03, not " +
                 std::to_string(options.replay.noise)};
  return {};
}
