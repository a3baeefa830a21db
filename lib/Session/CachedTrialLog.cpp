//===- Logs trials to the record store ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/CachedTrialLog.h"

using namespace tonno;

std::optional<Trial>
CachedTrialLog::recall(const Configuration &configuration) {
  auto found = records.find(identity.trialKey(space.values(configuration)));
  if (!found)
    return std::nullopt;
  auto record = decode<TrialRecord>(*found);
  if (!record || record->status == Status::ok ||
      record->status == Status::pruned || !isLasting(record->status))
    return std::nullopt;
  Trial trial;
  trial.configuration = configuration;
  trial.status = record->status;
  trial.message = record->message + " (from the cache)";
  trial.usage = record->usage;
  trial.artifactHash = record->artifactHash;
  trial.verifiedSeconds = record->verifiedSeconds;
  return trial;
}

void CachedTrialLog::store(const Trial &trial) {
  if (!isLasting(trial.status))
    return;
  std::string key = identity.trialKey(space.values(trial.configuration));
  TrialRecord described = TrialRecord::of(trial, space);
  described.problem = identity.problemKey();
  Json record = described;
  // So it is of each trial that is replayed, and writing is not for nothing.
  if (records.find(key) == record)
    return;
  auto stored = records.insert(key, record);
  if (stored || hasWarned)
    return;
  hasWarned = true;
  observer.warn(stored.error().message + "; trials are not kept");
}
