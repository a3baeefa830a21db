//===- Logs trials to a journal -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/JournaledTrialLog.h"

using namespace tonno;

static bool hasOutcome(Status status) {
  return status != Status::lost && status != Status::contended;
}

static Trial fromJournal(const JournaledTrial &journaled,
                         Configuration configuration) {
  const TrialRecord &record = journaled.record;
  Trial trial = {
      std::move(configuration), record.status,        record.message,
      record.measurement,       record.usage,         record.artifactHash,
      journaled.compileSeconds, journaled.runSeconds, journaled.isRecalled,
      journaled.seconds,        journaled.reason};
  trial.verifiedSeconds = record.verifiedSeconds;
  trial.device = journaled.device;
  return trial;
}

JournaledTrialLog::JournaledTrialLog(Journal &journal, std::string session,
                                     const SearchSpace &space,
                                     TrialLog &observer, ResumeOptions options)
    : journal(journal), session(std::move(session)), space(space),
      observer(observer), options(options) {
  const JournaledSession *known = journal.find(this->session);
  if (!known)
    return;
  for (const JournaledTrial &trial : known->trials)
    if (auto point = space.configuration(trial.record.values)) {
      Trial made = fromJournal(trial, *point);
      made.place = static_cast<size_t>(&trial - known->trials.data());
      if (made.ok() && !pastBaseline)
        pastBaseline = *point;
      if (isReplayable(made))
        past.insert_or_assign(*point, std::move(made));
    }
  for (const TrialRecord &trial : known->amended)
    if (auto point = space.configuration(trial.values))
      amended.insert_or_assign(*point, Failure{trial.status, trial.message});
}

bool JournaledTrialLog::isReplayable(const Trial &trial) const {
  return options.failures ? hasOutcome(trial.status)
                          : trial.ok() || trial.status == Status::pruned;
}

void JournaledTrialLog::checkBaseline(const Configuration &configuration) {
  if (std::exchange(hasBaseline, true))
    return;
  if (pastBaseline && configuration != *pastBaseline)
    past.clear();
  past.erase(configuration);
}

std::optional<Trial>
JournaledTrialLog::replay(const Configuration &configuration) {
  auto found = past.find(configuration);
  if (found == past.end() || (!options.baseline && !hasBaseline))
    return std::nullopt;
  Trial trial = std::move(found->second);
  past.erase(found);
  replayed.insert(configuration);
  return trial;
}

std::optional<Failure>
JournaledTrialLog::failedSince(const Configuration &configuration) const {
  auto found = amended.find(configuration);
  return found == amended.end() ? std::nullopt : std::optional(found->second);
}

/// Writes the journal before the other log: a trial that is cached but not in
/// the journal would be recalled out of its order after a kill and resume.
void JournaledTrialLog::record(const Trial &trial, const Trial *) {
  if (trial.ok())
    checkBaseline(trial.configuration);
  if (!replayed.erase(trial.configuration) && !hasFailed)
    added(journal.add(session, {TrialRecord::of(trial, space), trial.isRecalled,
                                trial.compileSeconds, trial.runSeconds,
                                trial.sessionSeconds, trial.reason,
                                trial.device, describe(trial)}));
}

void JournaledTrialLog::amend(const Trial &trial) {
  if (!failedSince(trial.configuration) && !hasFailed)
    added(journal.amend(session, TrialRecord::of(trial, space)));
}

void JournaledTrialLog::added(const Result<void> &line) {
  if (line)
    return;
  hasFailed = true;
  observer.warn(line.error().message +
                "; the session cannot be resumed from here on");
}
