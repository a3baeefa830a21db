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
      strategy(valueOrThrow(createStrategy(name, searched->legal(), seed))) {
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
  std::lock_guard mine(turn);
  asking = &proposer;
  std::vector<Configuration> proposed = strategy->propose(count);
  if (count > 0)
    hasEnded = proposed.empty();
  for (const Configuration &point : proposed) {
    asked.push_back(point);
    reasons[point] = strategy->explain(point);
  }
  return proposed;
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
  std::lock_guard mine(turn);
  if (!places.emplace(trial.configuration, told.size()).second)
    throw Refusal(printed(searched->searchSpace().values(trial.configuration)) +
                  " has a result already");
  told.push_back(trial);
  std::erase(asked, trial.configuration);
  Trial whole = observed(trial);
  strategy->observe({&whole, 1});
}

std::string AskTell::explain(const Configuration &point) const {
  std::lock_guard mine(turn);
  auto found = reasons.find(point);
  return found == reasons.end() ? "" : found->second;
}

std::vector<Configuration> AskTell::pending() const {
  std::lock_guard mine(turn);
  return asked;
}

std::vector<ToldTrial> AskTell::trials() const {
  std::lock_guard mine(turn);
  return told;
}

bool AskTell::isDone() const {
  std::lock_guard mine(turn);
  return hasEnded;
}
