//===- Candidates without their times -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/Survey.h"

using namespace tonno;

/// So many, and it is not the candidates.
void Survey::submit(const Configuration &configuration, std::string reason) {
  compiler.submit(space.values(configuration));
  compiling.push_back({configuration, std::move(reason)});
}

Trial Survey::judge(const Configuration &configuration,
                    Compilation compilation) {
  Trial trial = trialOf(configuration, compilation);
  if (!trial.ok())
    log.failed(trial, opened, nullptr);
  if (!trial.ok() || !runner)
    return trial;
  RunRequest request;
  request.kind = RunRequest::Kind::verify;
  request.candidate = std::move(*compilation.artifact);
  // Equal binaries compute the same.
  if (auto twin = trialByArtifact.find(trial.artifactHash);
      twin != trialByArtifact.end()) {
    trial.status = trials[twin->second].status;
    trial.message = trials[twin->second].message;
    if (!trial.ok())
      log.failed(trial, opened, &request);
    return trial;
  }
  request.waitSeconds = budget.secondsToWait(steadySeconds() - start);
  RunResult result = runner->run(request);
  trial.status = result.status;
  trial.message = result.message;
  trial.runSeconds = result.seconds;
  if (result.status != Status::lost)
    trialByArtifact.emplace(trial.artifactHash, trials.size());
  bool isEndedByUser = trial.status == Status::lost && interrupted();
  request.launchSeconds = result.launchSeconds;
  if (!trial.ok() && !isEndedByUser)
    log.failed(trial, opened, &request);
  return trial;
}

Result<std::vector<Trial>> Survey::run() {
  start = steadySeconds();
  auto isSpent = [&] {
    return steadySeconds() - start >= budget.seconds || interrupted();
  };
  submit(space.defaultConfiguration(), "");
  size_t lostInARow = 0;
  while (!compiling.empty() && !isSpent()) {
    while (compiling.size() < compileAhead &&
           trials.size() + compiling.size() < budget.trials) {
      std::vector<Configuration> proposed = strategy.propose(1);
      if (proposed.empty())
        break;
      // The default was tried before the strategy could be told so.
      if (proposed.front() != space.defaultConfiguration())
        submit(proposed.front(), strategy.explain(proposed.front()));
    }
    Submitted first = std::move(compiling.front());
    compiling.pop_front();
    trials.push_back(judge(first.configuration, compiler.next()));
    trials.back().reason = std::move(first.reason);
    const Trial &trial = trials.back();
    strategy.observe(std::span(&trial, 1));
    log.record(trial, nullptr);
    lostInARow = trial.status == Status::lost ? lostInARow + 1 : 0;
    if (lostInARow >= maxLostInARow && !interrupted())
      return Error{std::to_string(lostInARow) +
                   " candidates in a row were lost, the last because " +
                   trial.message};
  }
  return trials;
}
