//===- A file of each failure ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_FAILUREKEEPINGLOG_H
#define TONNO_SESSION_FAILUREKEEPINGLOG_H

#include "tonno/Engine/TuningSession.h"
#include "tonno/Session/Reproduction.h"
#include "tonno/Space/SearchSpace.h"

#include <filesystem>

namespace tonno {

/// Writes a file for each failure to a directory, and forwards all trials to
/// another log.
class FailureKeepingLog : public TrialLog {
public:
  /// Creates a log that writes failures to `directory`; `common` holds the data
  /// that all of the session's failures share. Without a module in it, failed
  /// compilations are not kept.
  FailureKeepingLog(std::filesystem::path directory, Reproduction common,
                    const SearchSpace &space, TrialLog &observer);

  void failed(const Trial &trial, const RunnerSession &session,
              const RunRequest *request) override;

  /// Returns the number of failures that can be reproduced, which excludes lost
  /// trials.
  size_t numKept() const { return kept; }

private:
  Result<void> keep(const Reproduction &reproduction) const;

  std::filesystem::path directory;
  Reproduction common;
  const SearchSpace &space;
  TrialLog &observer; ///< of files that can't be written
  size_t kept = 0;
  bool hasWarned = false;
};

} // namespace tonno

#endif // TONNO_SESSION_FAILUREKEEPINGLOG_H
