//===- Ctrl-C, SIGTERM and SIGHUP -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/Interrupt.h"

#include <ctime>
#include <unistd.h>

using namespace tonno;

static volatile std::sig_atomic_t receivedSignal = 0;
static timespec receivedAt;

/// The scope's `sameRequestSeconds`; written before the signal handlers are
/// installed.
static double sameRequest;

static double secondsSince(const timespec &then) {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec - then.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec - then.tv_nsec);
}

static void handleSignal(int signal) {
  if (receivedSignal) {
    if (secondsSince(receivedAt) > sameRequest)
      ::_exit(128 + signal);
    return;
  }
  ::clock_gettime(CLOCK_MONOTONIC, &receivedAt);
  receivedSignal = signal;
}

static constexpr std::array<int, 3> handled = {SIGINT, SIGTERM, SIGHUP};

InterruptScope::InterruptScope(double sameRequestSeconds) {
  sameRequest = sameRequestSeconds;
  struct sigaction action = {};
  action.sa_handler = handleSignal;
  for (size_t i = 0; i < handled.size(); ++i) {
    ::sigaction(handled[i], &action, &former[i]);
    // Shells start what runs in the background with SIGINT ignored, though it
    // is still meant to be interrupted by it; SIGHUP only nohup ignores.
    if (handled[i] == SIGHUP && former[i].sa_handler == SIG_IGN)
      ::sigaction(SIGHUP, &former[i], nullptr);
  }
}

InterruptScope::~InterruptScope() {
  for (size_t i = 0; i < handled.size(); ++i)
    ::sigaction(handled[i], &former[i], nullptr);
}

int InterruptScope::received() { return receivedSignal; }
