//===- Ctrl-C, SIGTERM and SIGHUP -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_INTERRUPT_H
#define TONNO_SESSION_INTERRUPT_H

#include <array>
#include <csignal>

namespace tonno {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP only sets a flag, so
/// that a session can end in order; the second one ends the process at once.
/// Under nohup, SIGHUP stays ignored.
class InterruptScope {
public:
  /// Handles signals that arrive within `sameRequestSeconds` of the first as
  /// the same request: `timeout` and process managers signal both the process
  /// and its group.
  explicit InterruptScope(double sameRequestSeconds = 0.2);
  ~InterruptScope();
  InterruptScope(const InterruptScope &) = delete;
  InterruptScope &operator=(const InterruptScope &) = delete;

  /// Returns the received signal, or 0.
  static int received();

private:
  std::array<struct sigaction, 3> former;
};

} // namespace tonno

#endif // TONNO_SESSION_INTERRUPT_H
