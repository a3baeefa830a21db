//===- Causes of process ends ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Process/ProcessEnd.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/wait.h>

using namespace tonno;

ProcessEnd ProcessEnd::of(int status) {
  ProcessEnd end;
  if (WIFSIGNALED(status)) {
    end.signal = WTERMSIG(status);
    end.text = "signal " + std::to_string(*end.signal) + " (" +
               ::strsignal(*end.signal) + ")";
  } else {
    end.exitStatus = WEXITSTATUS(status);
    end.text = "exit status " + std::to_string(*end.exitStatus);
  }
  return end;
}

/// Returns true if the signal is raised by the process's own code. All others
/// are sent by other processes, or by the system at a resource limit, as
/// SIGXCPU is.
static bool isOwn(int signal) {
  switch (signal) {
  case SIGSEGV:
  case SIGBUS:
  case SIGILL:
  case SIGFPE:
  case SIGABRT:
  case SIGTRAP:
  case SIGSYS:
    return true;
  default:
    return false;
  }
}

static NoAnswer::Cause getCause(const ProcessEnd &end) {
  using Cause = NoAnswer::Cause;
  if (end.endedHere)
    return Cause::closed;
  if (end.signal == SIGKILL)
    return Cause::killed;
  if (end.signal)
    return isOwn(*end.signal) ? Cause::crashed : Cause::ended;
  return end.exitStatus == outOfMemoryExit ? Cause::out_of_memory
                                           : Cause::crashed;
}

NoAnswer NoAnswer::of(FrameFailure failure, const ProcessEnd &end) {
  switch (failure) {
  case FrameFailure::closed:
    return {getCause(end), end};
  case FrameFailure::timed_out:
    return {Cause::timed_out, end};
  case FrameFailure::malformed:
    return {Cause::garbled, end};
  case FrameFailure::cancelled:
    break;
  }
  return {Cause::cancelled, end};
}

bool NoAnswer::isSignalled() const {
  return cause == Cause::ended || cause == Cause::killed;
}

bool NoAnswer::mayBeExternal() const {
  return isSignalled() || (cause == Cause::crashed && end.exitStatus);
}

NoAnswer NoAnswer::duringInterrupt() const {
  return isSignalled() ? NoAnswer{Cause::cancelled, end} : *this;
}

std::string NoAnswer::text(double seconds) const {
  switch (cause) {
  case Cause::timed_out:
    return "gave no answer within " + formatLimit(seconds);
  case Cause::garbled:
    return "does not send tonno's frames";
  case Cause::cancelled:
    return "was interrupted";
  default:
    return "ended: " + end.text;
  }
}

std::string NoAnswer::text(const std::string &child, double seconds) const {
  return cause == Cause::cancelled ? "interrupted while waiting for " + child
                                   : child + " " + text(seconds);
}

std::string tonno::formatLimit(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", seconds);
  return text;
}
