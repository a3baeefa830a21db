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

/// Leaves a file of each failure in a directory, and tells another log of all.
class FailureKeepingLog : public TrialLog {
public:
  /// What all failures of the session have in common stands in `common`. If it
  /// has no module, those that did not compile are not kept.
  FailureKeepingLog(std::filesystem::path directory, Reproduction common,
                    const SearchSpace &space, TrialLog &observer);

  void failed(const Trial &trial, const RunnerSession &session,
              const RunRequest *request) override;

  /// Of those that are there to be had again: not of what was lost.
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
