//===- Processes.h - How other processes fare, for tests --------*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_TEST_UNIT_PROCESSES_H
#define TONNO_TEST_UNIT_PROCESSES_H

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <sys/types.h>
#include <thread>

namespace tonno {

/// Whether the process ends soon. One that is dead but not yet reaped by init
/// counts as ended.
inline bool endsSoon(pid_t pid) {
  for (int i = 0; i < 2000; ++i) {
    if (::kill(pid, 0) != 0 && errno == ESRCH)
      return true;
    std::string path = "/proc/" + std::to_string(pid) + "/stat";
    if (FILE *stat = std::fopen(path.c_str(), "r")) {
      char state = 0;
      bool dead = std::fscanf(stat, "%*d (%*[^)]) %c", &state) == 1 &&
                  (state == 'Z' || state == 'X');
      std::fclose(stat);
      if (dead)
        return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

} // namespace tonno

#endif // TONNO_TEST_UNIT_PROCESSES_H
