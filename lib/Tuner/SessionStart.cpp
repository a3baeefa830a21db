//===- How a session of a kernel begins -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SessionStart.h"

#include <algorithm>

using namespace tonno;

/// Of the kernel and of its siblings.
static constexpr size_t mostStartingPoints = 6;

std::string tonno::sessionKey(const KernelProblem &problem,
                              const TuneOptions &options) {
  return problem.identity
      .decisionKey(problem.space, {{"journal", options.effort.strategy},
                                   {"seed", options.seed}})
      .substr(0, 16);
}

Json tonno::describeSession(const KernelOutcome &outcome,
                            const KernelProblem &problem,
                            const TuneOptions &options,
                            std::span<const StartingPoint> startingPoints) {
  Json about = {{"kernel", outcome.kernel},
                {"chip", outcome.chip},
                {"device", problem.device.name},
                {"versions", problem.compiled.versions},
                {"strategy", options.effort.strategy},
                {"budget_trials", options.effort.budget.trials},
                {"budget_seconds", options.effort.budget.seconds},
                {"seed", options.seed},
                {"space", problem.space},
                {"starting_points", Json::array()}};
  for (const StartingPoint &point : startingPoints) {
    about["starting_points"].push_back(
        problem.space.values(point.configuration));
    about["starting_reasons"].push_back(point.reason);
  }
  return about;
}

SiblingPlace tonno::siblingPlace(const KernelProblem &problem) {
  return {problem.identity, problem.family, problem.space};
}

std::vector<StartingPoint>
tonno::startingPoints(const SessionJournal &journal, RecordStore &store,
                      const KernelProblem &problem,
                      const std::shared_ptr<const LegalSpace> &space,
                      KernelOutcome &outcome) {
  std::vector<StartingPoint> best =
      journal.past() ? journal.startingPoints(problem.space)
                     : findBest(store, problem.identity, problem.space);
  outcome.startingPoints = best.size();
  if (!journal.past() && problem.selected)
    best.insert(best.begin(), {*problem.selected, "selected in the input"});
  if (journal.past() || best.size() >= mostStartingPoints)
    return best;
  outcome.siblings = findBestOfSiblings(store, siblingPlace(problem), space,
                                        mostStartingPoints - best.size());
  std::ranges::copy(outcome.siblings.points, std::back_inserter(best));
  return best;
}
