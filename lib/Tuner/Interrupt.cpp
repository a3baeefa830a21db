//===- Interrupt.cpp - Ctrl-C and SIGTERM ---------------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Tuner/Interrupt.h"

#include <csignal>
#include <unistd.h>

using namespace tonno;

static volatile std::sig_atomic_t receivedSignal = 0;

static void handleSignal(int signal) {
  if (receivedSignal)
    ::_exit(128 + signal);
  receivedSignal = signal;
}

InterruptScope::InterruptScope() {
  struct sigaction action = {};
  action.sa_handler = handleSignal;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

InterruptScope::~InterruptScope() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

int InterruptScope::received() { return receivedSignal; }
