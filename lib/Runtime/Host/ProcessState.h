//===- What a process is set to -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_HOST_PROCESSSTATE_H
#define TONNO_LIB_RUNTIME_HOST_PROCESSSTATE_H

#include <array>
#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

namespace tonno {

/// The settings of this process and thread that code may leave changed behind
/// it: what signals do and which are blocked, interval timers (`alarm` among
/// them), the working directory, the mask of file modes, and the limits of
/// resources.
class ProcessState {
public:
  /// As they are now; the directory, as it was the first time.
  ProcessState();
  /// Whether files are made with the same mask.
  bool keptMask() const;
  /// The name of a limit that is another now, such as RLIMIT_NOFILE; null if
  /// there is none.
  const char *findChangedLimit() const;
  /// Makes them so again.
  void restore() const;

private:
  std::array<struct sigaction, NSIG> actions;
  sigset_t blocked;
  std::array<bool, 3> timerRuns;
  mode_t mask;
  std::array<rlimit, RLIM_NLIMITS> limits;
};

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_HOST_PROCESSSTATE_H
