//===- RunnerProcess.h - A runner in a process of its own -------*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_RUNTIME_RUNNERPROCESS_H
#define TONNO_RUNTIME_RUNNERPROCESS_H

#include "tonno/Core/Subprocess.h"
#include "tonno/Runtime/Runner.h"

#include <optional>

namespace tonno {

/// A runner in a process of its own (`tonno-runner`, or a command that brings
/// one up elsewhere). What a candidate does to that process is its trial's
/// status: a crash is `fault`, no answer in time is `hang`; the next request
/// starts a fresh process.
class RunnerProcess : public Runner {
public:
  /// `limitSeconds` bounds the preparation; a run is bounded by what the
  /// baseline was seen to take.
  explicit RunnerProcess(std::vector<std::string> command,
                         double limitSeconds = 120)
      : command(std::move(command)), limitSeconds(limitSeconds) {}

  Result<DeviceDescription> device() override;
  Result<void> open(const RunnerSession &session) override;
  RunResult run(const RunRequest &request) override;

private:
  /// Starts the process if there is none, asks it, and returns what it says
  /// under the key `answer`.
  Result<Json> ask(const Json &message, const char *answer);
  Result<void> reopen();
  double runLimit(const RunRequest &request) const;

  std::vector<std::string> command;
  double limitSeconds;
  std::optional<RunnerSession> session;
  std::optional<Subprocess> process;
  double openSeconds = 0;       ///< the last preparation took
  double longestRunSeconds = 0; ///< of the requests that came back
};

} // namespace tonno

#endif // TONNO_RUNTIME_RUNNERPROCESS_H
