//===- Causes of process ends ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_PROCESS_PROCESSEND_H
#define TONNO_PROCESS_PROCESSEND_H

#include "tonno/Process/Frame.h"

#include <optional>
#include <string>

namespace tonno {

/// The exit status by which a child says that it may have no more memory; code
/// does not exit so by itself.
inline constexpr int outOfMemoryExit = 113;

/// The way in which a process ended.
struct ProcessEnd {
  std::string text; ///< "signal 11 (Segmentation fault)", "exit status 3"
  std::optional<int> exitStatus = {}; ///< if no signal ended it
  std::optional<int> signal = {};     ///< if no exit did
  bool endedHere = false; ///< by its parent, since it still ran by then

  /// Decodes the status returned by waitpid.
  static ProcessEnd of(int status);
};

/// Why a child gave no answer.
struct NoAnswer {
  enum class Cause {
    crashed,       ///< it exited, or a signal ended it that its code has caused
    out_of_memory, ///< it said so
    killed,        ///< by SIGKILL: the system for lack of memory, or a user
    ended,         ///< by another signal from outside
    closed,        ///< it closed its channel and went on
    timed_out,
    garbled, ///< its output is no frame of tonno
    cancelled,
  };
  Cause cause;
  ProcessEnd end;

  /// Returns the end of a child whose channel failed like this before it ended.
  static NoAnswer of(FrameFailure failure, const ProcessEnd &end);

  /// Returns the same, as cancelled if a signal ended the child: the signal of
  /// a user who interrupts may reach the children as well.
  NoAnswer duringInterrupt() const;

  /// Returns true if a signal ended the child that its code does not cause.
  bool isSignalled() const;
  /// Returns true if something else than the child's code may have ended it: a
  /// signal, or, where it exited, the connection to it: a command that stands
  /// between ends alike for both.
  bool mayBeExternal() const;

  /// Describes the end of a child with a time limit of `seconds`: "ended: exit
  /// status 3", "gave no answer within 30 s".
  std::string text(double seconds) const;
  /// Describes the same of a named child, which an interrupt does not blame:
  /// "the worker ended: exit status 3", "interrupted while waiting for the
  /// worker".
  std::string text(const std::string &child, double seconds) const;
};

/// Formats a limit: "30 s", "0.05 s".
std::string formatLimit(double seconds);

} // namespace tonno

#endif // TONNO_PROCESS_PROCESSEND_H
