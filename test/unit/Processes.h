//===- States of processes, for tests -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TEST_UNIT_PROCESSES_H
#define TONNO_TEST_UNIT_PROCESSES_H

#include "Eventually.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>

namespace tonno {

/// Returns the state of a process, as in /proc: 'R', 'S', 'T' (stopped), 'Z';
/// 'X' if there is none.
inline char stateOf(pid_t pid) {
  std::string path = "/proc/" + std::to_string(pid) + "/stat";
  char state = 'X';
  if (FILE *stat = std::fopen(path.c_str(), "r")) {
    if (std::fscanf(stat, "%*d (%*[^)]) %c", &state) != 1)
      state = 'X';
    std::fclose(stat);
  }
  return state;
}

/// While it lives, whose parent has ended becomes a child of this process. It
/// is of the same session: stopped processes that process 1 adopts may be
/// ended by the system, as of an orphaned group, and hide who should have.
struct Adopter {
  Adopter() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }
  Adopter(const Adopter &) = delete;
  Adopter &operator=(const Adopter &) = delete;
  ~Adopter() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
    while (::waitpid(-1, nullptr, WNOHANG) > 0)
      ;
  }
};

/// Returns true if the process ends soon. A zombie that init has not yet reaped
/// counts as ended.
inline bool exitsWithinGrace(pid_t pid) {
  return eventually([pid] {
    if (::kill(pid, 0) != 0 && errno == ESRCH)
      return true;
    char state = stateOf(pid);
    return state == 'Z' || state == 'X';
  });
}

} // namespace tonno

#endif // TONNO_TEST_UNIT_PROCESSES_H
