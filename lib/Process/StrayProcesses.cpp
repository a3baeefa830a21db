//===- Processes that candidates leave ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Process/StrayProcesses.h"
#include "tonno/Process/ProcessTable.h"

#include <cerrno>
#include <csignal>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tonno;

void tonno::adoptStrayProcesses() {
  // It fails only on kernels older than any with memfd_create.
  (void)::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static void killChildren() {
  for (const auto &[process, stat] : readProcessTable())
    if (stat.parent == ::getpid())
      ::kill(process, SIGKILL);
}

size_t tonno::endStrayProcesses() {
  size_t count = 0;
  for (;;) {
    pid_t ended = ::waitpid(-1, nullptr, WNOHANG | __WALL);
    if (ended == 0) {
      killChildren();
      ended = ::waitpid(-1, nullptr, __WALL);
    }
    if (ended > 0)
      ++count;
    else if (errno != EINTR)
      return count;
  }
}
