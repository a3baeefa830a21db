//===- A search that others measure for -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AskTell.h"
#include "Refusal.h"

#include "tonno/Search/SearchStrategy.h"
#include "tonno/Strategies/Strategies.h"

#include <algorithm>

using namespace tonno;
using namespace tonno::python;

AskTell::AskTell(std::shared_ptr<const Space> space, const std::string &name,
                 uint64_t seed, std::vector<Configuration> start,
                 bool hasProposer)
    : searched(std::move(space)),
      strategy(valueOrThrow(createStrategy(name, searched->legal(), seed))),
      hasProposer(hasProposer) {
  if (hasProposer)
    strategy = std::make_unique<ProposerSearch>(
        [this](std::span<const Trial> trials) { return (*asking)(trials); },
        std::move(strategy), seed);
  if (!start.empty())
    strategy =
        std::make_unique<StartingPoints>(std::move(start), std::move(strategy));
}

std::vector<Configuration>
AskTell::ask(size_t count, const ProposerSearch::Proposer &proposer) {
  auto mine = takeTurn();
  asking = &proposer;
  std::vector<Configuration> proposed = propose(count);
  if (count > 0)
    hasEnded = proposed.empty();
  for (const Configuration &point : proposed) {
    asked.push_back(point);
    reasons[point] = strategy->explain(point);
  }
  return proposed;
}

/// Returns up to `count` proposals, one by one if there is a proposer: what was
/// proposed before it raises is kept for the next call.
std::vector<Configuration> AskTell::propose(size_t count) {
  if (!hasProposer)
    return strategy->propose(count);
  asker = std::this_thread::get_id();
  try {
    while (ready.size() < count) {
      std::vector<Configuration> one = strategy->propose(1);
      if (one.empty())
        break;
      ready.push_back(std::move(one.front()));
    }
  } catch (...) {
    asker = std::thread::id();
    throw;
  }
  asker = std::thread::id();
  auto end =
      ready.begin() + static_cast<ptrdiff_t>(std::min(count, ready.size()));
  std::vector<Configuration> proposed(ready.begin(), end);
  ready.erase(ready.begin(), end);
  return proposed;
}

std::unique_lock<std::mutex> AskTell::takeTurn() const {
  if (asker.load() == std::this_thread::get_id())
    throw Refusal("the proposer called its own search, which waits for it; the "
                  "trials are its argument");
  return std::unique_lock(turn);
}

/// Returns the trial that strategies learn from. Strategies rank by the ratio,
/// so that any unit will do.
static Trial observed(const ToldTrial &told) {
  Trial trial;
  trial.configuration = told.configuration;
  trial.status = told.status;
  trial.message = told.message;
  if (told.status != Status::ok && told.status != Status::pruned)
    return trial;
  double seconds = told.seconds;
  trial.measurement.emplace();
  trial.measurement->seconds = {1, seconds, seconds, seconds, seconds};
  trial.measurement->ratio = seconds;
  trial.measurement->ratioInterval = {seconds, seconds};
  return trial;
}

void AskTell::tell(const ToldTrial &trial) {
  auto mine = takeTurn();
  if (!places.emplace(trial.configuration, told.size()).second)
    throw Refusal(printed(searched->searchSpace().values(trial.configuration)) +
                  " has a result already");
  told.push_back(trial);
  std::erase(asked, trial.configuration);
  Trial whole = observed(trial);
  strategy->observe({&whole, 1});
}

std::string AskTell::explain(const Configuration &point) const {
  auto mine = takeTurn();
  auto found = reasons.find(point);
  return found == reasons.end() ? "" : found->second;
}

std::vector<Configuration> AskTell::pending() const {
  auto mine = takeTurn();
  return asked;
}

std::vector<ToldTrial> AskTell::trials() const {
  auto mine = takeTurn();
  return told;
}

bool AskTell::isDone() const {
  auto mine = takeTurn();
  return hasEnded;
}
