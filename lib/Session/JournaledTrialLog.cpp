//===- JournaledTrialLog.cpp - Trials go to a journal ---------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Session/JournaledTrialLog.h"

using namespace tonno;

static bool hasTold(Status status) {
  return status != Status::lost && status != Status::contended;
}

static Trial fromJournal(const JournaledTrial &journaled,
                         Configuration configuration) {
  const TrialRecord &record = journaled.record;
  return {std::move(configuration), record.status,        record.message,
          record.measurement,       record.usage,         record.artifactHash,
          journaled.compileSeconds, journaled.runSeconds, journaled.isRecalled,
          journaled.reason};
}

JournaledTrialLog::JournaledTrialLog(TrialLog &inner, Journal &journal,
                                     std::string session,
                                     const SearchSpace &space)
    : ForwardingLog(inner), journal(journal), session(std::move(session)),
      space(space), start(std::chrono::steady_clock::now()) {
  const JournaledSession *known = journal.find(this->session);
  if (!known)
    return;
  for (const JournaledTrial &trial : known->trials)
    if (auto point = space.configuration(trial.record.values);
        point && hasTold(trial.record.status))
      past.insert_or_assign(
          *point, PastTrial{fromJournal(trial, *point), trial.seconds});
}

std::optional<PastTrial>
JournaledTrialLog::replay(const Configuration &configuration) {
  auto found = past.find(configuration);
  if (found == past.end())
    return std::nullopt;
  PastTrial trial = std::move(found->second);
  past.erase(found);
  secondsBefore = std::max(secondsBefore, trial.sessionSeconds);
  replayed.insert(configuration);
  return trial;
}

void JournaledTrialLog::record(const Trial &trial, const Trial *incumbent) {
  ForwardingLog::record(trial, incumbent);
  if (replayed.erase(trial.configuration) || hasFailed)
    return;
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  auto added =
      journal.add(session, {TrialRecord::of(trial, space), trial.isRecalled,
                            trial.compileSeconds, trial.runSeconds,
                            secondsBefore + elapsed.count(), trial.reason});
  if (added)
    return;
  hasFailed = true;
  warn(added.error().message + "; the rest of the session can't be resumed");
}
