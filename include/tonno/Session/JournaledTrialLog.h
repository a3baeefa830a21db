//===- Logs trials to a journal -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_JOURNALEDTRIALLOG_H
#define TONNO_SESSION_JOURNALEDTRIALLOG_H

#include "tonno/Cache/Journal.h"
#include "tonno/Engine/TuningSession.h"
#include "tonno/Space/SearchSpace.h"

#include <unordered_map>
#include <unordered_set>

namespace tonno {

/// Selects the trials of a session that are replayed.
struct ResumeOptions {
  /// Failures, too: candidates have a process each, and are to blame for them.
  bool failures = true;
  /// The first ok trial, too. Otherwise it is made again before others are
  /// replayed: their ratios are to be compared with one of this process.
  bool baseline = true;
};

/// Writes trials to a journal, in addition to another log, and replays those of
/// a session that was cut short.
class JournaledTrialLog : public TrialLog {
public:
  /// Replays the session's trials if it was begun; to start anew, begin it in
  /// the journal first. Trials that were lost or contended are run again.
  JournaledTrialLog(Journal &journal, std::string session,
                    const SearchSpace &space, TrialLog &observer,
                    ResumeOptions options = {});

  std::optional<Trial> replay(const Configuration &configuration) override;
  bool hasPast() const override { return !past.empty(); }
  std::optional<Failure>
  failedSince(const Configuration &configuration) const override;
  void record(const Trial &trial, const Trial *incumbent) override;
  void amend(const Trial &trial) override;

protected:
  /// Returns what else the journal keeps of a trial.
  virtual std::optional<Json> describe(const Trial &trial) {
    return std::nullopt;
  }

private:
  bool isReplayable(const Trial &trial) const;
  /// Forgets the past if the baseline is another one now: ratios to it are not
  /// comparable.
  void checkBaseline(const Configuration &configuration);
  /// Warns of the first line that could not be added, which is the last.
  void added(const Result<void> &line);

  Journal &journal;
  std::string session;
  const SearchSpace &space;
  TrialLog &observer; ///< of a journal that can't be written
  ResumeOptions options;
  std::optional<Configuration> pastBaseline; ///< the first that was ok
  bool hasBaseline = false; ///< an ok trial was recorded, or replayed
  /// Trials of the past session that were not proposed again yet.
  std::unordered_map<Configuration, Trial, ConfigurationHash> past;
  std::unordered_map<Configuration, Failure, ConfigurationHash> amended;
  /// Proposed again, and not recorded yet.
  std::unordered_set<Configuration, ConfigurationHash> replayed;
  bool hasFailed = false;
};

} // namespace tonno

#endif // TONNO_SESSION_JOURNALEDTRIALLOG_H
