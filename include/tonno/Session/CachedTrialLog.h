//===- Logs trials to the record store ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_CACHEDTRIALLOG_H
#define TONNO_SESSION_CACHEDTRIALLOG_H

#include "tonno/Cache/RecordStore.h"
#include "tonno/Cache/Records.h"
#include "tonno/Session/TuneObserver.h"

namespace tonno {

/// Stores each trial that would come out the same again, and recalls the
/// failures among them. Stored times are not recalled: times of different
/// moments don't compare.
class CachedTrialLog : public TrialLog {
public:
  CachedTrialLog(RecordStore &records, const ProblemIdentity &identity,
                 const SearchSpace &space, TrialLog &observer)
      : records(records), identity(identity), space(space), observer(observer) {
  }

  std::optional<Trial> recall(const Configuration &configuration) override;
  void record(const Trial &trial, const Trial *) override { store(trial); }
  void amend(const Trial &trial) override { store(trial); }

private:
  void store(const Trial &trial);

  RecordStore &records;
  const ProblemIdentity &identity;
  const SearchSpace &space;
  TrialLog &observer; ///< of a store that fails
  bool hasWarned = false;
};

} // namespace tonno

#endif // TONNO_SESSION_CACHEDTRIALLOG_H
