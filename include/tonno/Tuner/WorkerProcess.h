//===- WorkerProcess.h - A compiler in a process of its own -----*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_TUNER_WORKERPROCESS_H
#define TONNO_TUNER_WORKERPROCESS_H

#include "tonno/Core/Subprocess.h"
#include "tonno/Session/Compiler.h"

#include <deque>
#include <optional>

namespace tonno {

/// A compiler in a process of its own (`tonno-worker`, or a downstream tool
/// that calls workerMain). It compiles in forked processes, so a crash or a
/// hang of the compiler costs that candidate alone; should the worker itself go
/// away, a fresh one is started and the other submissions are handed to it.
class WorkerProcess : public Compiler {
public:
  /// Once `cancelled` says so, nothing waits any longer: what was to be
  /// compiled is `lost`, and the process ends.
  explicit WorkerProcess(std::vector<std::string> command,
                         Cancelled cancelled = {})
      : command(std::move(command)), cancelled(std::move(cancelled)) {}

  Result<CompilerDescription, LocatedError>
  open(const CompilerSession &session) override;
  Result<Problem, LocatedError> reference(ReferenceCpu cpu) override;
  void submit(const Json &values) override;
  Compilation next() override;

private:
  double patienceSeconds() const;
  Result<void, FrameFailure> send(const Json &message);
  Result<Json, FrameFailure> receive();
  Result<Json, LocatedError> ask(const Json &message);
  Compilation lost(const std::string &why);

  std::vector<std::string> command;
  Cancelled cancelled;
  std::optional<CompilerSession> session;
  std::optional<Subprocess> process;
  std::deque<Json> submitted; ///< values not answered yet
};

} // namespace tonno

#endif // TONNO_TUNER_WORKERPROCESS_H
