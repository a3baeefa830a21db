//===- TuningSession.cpp - The loop ---------------------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Tuner/TuningSession.h"

#include <algorithm>
#include <map>
#include <numeric>

using namespace tonno;

/// Candidates that compile while another is timed.
static constexpr size_t compileAhead = 2;
/// Share of the budget's seconds that the search may take; the rest is the
/// final test's.
static constexpr double searchShare = 0.8;

TuningSession::TuningSession(const SearchSpace &space, Compiler &compiler,
                             Runner &runner, SearchStrategy &strategy,
                             TrialLog &log, Budget budget,
                             std::function<bool()> interrupted)
    : space(space), compiler(compiler), runner(runner), strategy(strategy),
      log(log), budget(budget), interrupted(std::move(interrupted)),
      start(std::chrono::steady_clock::now()) {}

Result<SessionOutcome> TuningSession::run() {
  measureBaseline();
  while (!budgetSpent() && !interrupted()) {
    submitAhead();
    if (compiling.empty())
      break; // the strategy has nothing left
    Configuration configuration = compiling.front();
    compiling.pop_front();
    conclude(configuration, compiler.next());
  }
  return decide();
}

void TuningSession::measureBaseline() {
  Configuration configuration = space.defaultConfiguration();
  compiler.submit(space.values(configuration));
  conclude(configuration, compiler.next());
  defaultFailed = !trials.front().ok();
}

bool TuningSession::budgetSpent() const {
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  return trials.size() >= budget.trials ||
         elapsed.count() >= searchShare * budget.seconds;
}

void TuningSession::submitAhead() {
  while (compiling.size() < compileAhead &&
         trials.size() + compiling.size() < budget.trials) {
    std::vector<Configuration> proposed = strategy.propose(1);
    if (proposed.empty())
      return;
    if (auto known = log.recall(proposed.front())) {
      record(std::move(*known));
      continue;
    }
    compiler.submit(space.values(proposed.front()));
    compiling.push_back(proposed.front());
  }
}

void TuningSession::conclude(const Configuration &configuration,
                             Compilation compilation) {
  Trial trial = judge(configuration, compilation);
  bool ok = trial.ok();
  record(std::move(trial));
  if (ok)
    artifacts.emplace(trials.size() - 1, std::move(*compilation.artifact));
}

Trial TuningSession::judge(const Configuration &configuration,
                           Compilation &compilation) {
  Trial trial;
  trial.configuration = configuration;
  trial.status = compilation.status;
  trial.message = compilation.message;
  trial.compileSeconds = compilation.seconds;
  if (compilation.status != Status::ok)
    return trial;
  const Artifact &artifact = *compilation.artifact;
  trial.artifactHash = artifact.hash();
  trial.usage = artifact.usage;

  // Equal binaries are measured once: noise must not choose between them.
  if (auto twin = trialByArtifact.find(trial.artifactHash);
      twin != trialByArtifact.end()) {
    const Trial &measured = trials[twin->second];
    trial.status = measured.status;
    trial.message = measured.message;
    trial.measurement = measured.measurement;
    return trial;
  }

  RunRequest request;
  request.candidate = artifact;
  request.baseline = baseline ? *baseline : artifact;
  if (incumbent)
    request.incumbentHigh = trials[*incumbent].measurement->ratioInterval.high;
  RunResult result = runner.run(request);
  // What came from outside of the candidate says nothing of its twins.
  if (result.status != Status::lost && result.status != Status::contended)
    trialByArtifact.emplace(trial.artifactHash, trials.size());
  trial.status = result.status;
  trial.message = result.message;
  trial.measurement = result.measurement;
  trial.runSeconds = result.seconds;
  if (trial.ok() && !baseline)
    baseline = artifact;
  return trial;
}

void TuningSession::record(Trial trial) {
  trials.push_back(std::move(trial));
  const Trial &recorded = trials.back();
  if (recorded.ok() &&
      (!incumbent ||
       recorded.measurement->ratio < trials[*incumbent].measurement->ratio))
    incumbent = trials.size() - 1;
  strategy.observe(std::span(&recorded, 1));
  log.record(recorded, incumbent ? &trials[*incumbent] : nullptr);
}

SessionOutcome TuningSession::outcome(size_t trial,
                                      Comparison comparison) const {
  return {trials[trial].configuration, trials[trial].artifactHash, comparison,
          trials};
}

/// What a trial alone says, where no test was made.
static Comparison fromTrial(const Trial &trial, Verdict verdict) {
  const Measurement &m = *trial.measurement;
  return {verdict,
          m.seconds,
          m.baselineSeconds,
          1 / m.ratio,
          {1 / m.ratioInterval.high, 1 / m.ratioInterval.low},
          0};
}

/// The default against itself.
static Comparison noChange(const Trial &baseline, Verdict verdict) {
  const Distribution &seconds = baseline.measurement->seconds;
  return {verdict, seconds, seconds, 1, {1, 1}, 0};
}

Result<SessionOutcome> TuningSession::decide() {
  if (!incumbent)
    return everyCandidateFailed();
  if (defaultFailed) {
    Comparison comparison =
        fromTrial(trials[*incumbent],
                  interrupted() ? Verdict::interrupted : Verdict::no_baseline);
    comparison.baselineSeconds = {};
    return outcome(*incumbent, comparison);
  }
  std::vector<size_t> ranking;
  for (size_t i = 1; i < trials.size(); ++i)
    if (artifacts.contains(i) &&
        trials[i].artifactHash != trials.front().artifactHash)
      ranking.push_back(i);
  std::sort(ranking.begin(), ranking.end(), [&](size_t a, size_t b) {
    return trials[a].measurement->ratio < trials[b].measurement->ratio;
  });
  if (interrupted()) {
    bool found =
        !ranking.empty() && trials[ranking.front()].measurement->ratio < 1;
    return found ? outcome(ranking.front(), fromTrial(trials[ranking.front()],
                                                      Verdict::interrupted))
                 : outcome(0, noChange(trials[0], Verdict::interrupted));
  }
  // The best that also stands the test; one that fails now is no winner.
  for (size_t trial : ranking) {
    RunRequest request;
    request.kind = RunRequest::Kind::compare;
    request.candidate = artifacts.at(trial);
    request.baseline = *baseline;
    RunResult result = runner.run(request);
    if (result.status == Status::ok) {
      bool faster = result.comparison->verdict == Verdict::faster;
      return outcome(faster ? trial : 0, *result.comparison);
    }
    trials[trial].status = result.status;
    trials[trial].message = result.message;
  }
  return outcome(0, noChange(trials[0], Verdict::tie));
}

Error TuningSession::everyCandidateFailed() const {
  struct Row {
    size_t count = 0;
    std::string message;
  };
  std::map<Status, Row> rows;
  for (const Trial &trial : trials) {
    Row &row = rows[trial.status];
    if (row.count++ == 0)
      row.message =
          space.values(trial.configuration).dump() + ": " + trial.message;
  }
  std::string text =
      "no candidate ran correctly, of " + std::to_string(trials.size()) + ":";
  for (const auto &[status, row] : rows)
    text += "\n  " + std::to_string(row.count) + " " +
            std::string(toString(status)) + ", first " + row.message;
  return {text};
}
