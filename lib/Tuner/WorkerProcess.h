//===- A compiler in a process of its own ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TUNER_WORKERPROCESS_H
#define TONNO_LIB_TUNER_WORKERPROCESS_H

#include "tonno/Engine/Compiler.h"
#include "tonno/Process/ProcessEnd.h"
#include "tonno/Process/ProgramStart.h"
#include "tonno/Process/Subprocess.h"

#include <deque>
#include <optional>

namespace tonno {

/// Limits on the time without an answer from a worker, as FairLimit counts
/// time.
struct WorkerLimits {
  double startSeconds = defaultStartSeconds; ///< until its first answer
  /// Limit on later answers. A worker that waits for a compilation, which it
  /// limits itself, sends signs of life: so this bounds single steps, such as
  /// parsing the kernel.
  double silentSeconds = 60;
};

/// Compiler in a process of its own (`tonno-worker`, or a downstream tool that
/// calls workerMain), which compiles in forked processes: a crash or a hang of
/// the compiler costs one candidate. If the worker is killed, a fresh one
/// repeats its work once; a candidate that ended two workers is `lost`, and the
/// other submissions go to a third.
class WorkerProcess : public Compiler {
public:
  /// Starts no worker yet. Once `cancelled` returns true, all waits end: the
  /// pending compilations are `lost`, and the process is ended.
  explicit WorkerProcess(std::vector<std::string> command,
                         Cancelled cancelled = {})
      : WorkerProcess(std::move(command), WorkerLimits(),
                      std::move(cancelled)) {}
  WorkerProcess(std::vector<std::string> command, WorkerLimits limits,
                Cancelled cancelled = {})
      : command(std::move(command)), limits(limits),
        cancelled(std::move(cancelled)) {}

  Result<CompilerDescription, LocatedError>
  open(const CompilerSession &session) override;
  Result<Problem, LocatedError> reference(ReferenceCpu cpu) override;
  void submit(const Json &values) override;
  Compilation next() override;
  bool isAlive() const override { return process.has_value(); }

private:
  Result<void, LocatedError> start();
  Result<void, FrameFailure> send(const Json &message);
  /// Waits for an answer; signs of life set the limit anew.
  Result<Json, FrameFailure> receive(double silentSeconds);
  /// Sends the message and waits for the answer. `remedy` is added to the error
  /// of a timeout.
  Result<Json, LocatedError> ask(const Json &message, double silentSeconds,
                                 const std::string &remedy = "");
  /// Ends the worker, and describes why `worker` gave no answer.
  std::string explain(FrameFailure failure, const std::string &worker);
  /// Asks the opened worker, or a fresh one if the first was killed.
  Result<Json, LocatedError> askWithRetry(const Json &message);
  Result<CompilerDescription, LocatedError> openOnce();
  /// Starts a fresh worker for the session and the submitted candidates.
  Result<void, LocatedError> restart();
  Compilation lost(std::string message);
  /// Returns true if the work of a worker without an answer should be repeated.
  bool isWorthRetrying() const;

  std::vector<std::string> command;
  WorkerLimits limits;
  Cancelled cancelled;
  std::optional<CompilerSession> session;
  std::optional<Subprocess> process;
  std::optional<NoAnswer> silence; ///< after the last request
  double waited = 0;               ///< seconds of the limit on it
  std::deque<Json> submitted;      ///< values not answered yet
};

} // namespace tonno

#endif // TONNO_LIB_TUNER_WORKERPROCESS_H
