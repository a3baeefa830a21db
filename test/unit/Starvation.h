//===- A processor that many want, for tests ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TEST_UNIT_STARVATION_H
#define TEST_UNIT_STARVATION_H

#include <csignal>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tonno {

/// Restricts this process and its children to one processor, until destroyed.
class OneCore {
public:
  OneCore() {
    EXPECT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core)
      if (CPU_ISSET(core, &before))
        CPU_SET(core, &one);
    EXPECT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  }
  OneCore(const OneCore &) = delete;
  OneCore &operator=(const OneCore &) = delete;
  ~OneCore() { ::sched_setaffinity(0, sizeof before, &before); }

private:
  cpu_set_t before = {};
};

/// While it lives, they share it with others that are always busy: of any time
/// they get a fourth.
class Starvation {
public:
  Starvation() {
    for (int i = 0; i < 3; ++i)
      busy.push_back(startBusy());
  }
  Starvation(const Starvation &) = delete;
  Starvation &operator=(const Starvation &) = delete;
  ~Starvation() {
    for (pid_t process : busy) {
      ::kill(process, SIGKILL);
      ::waitpid(process, nullptr, 0);
    }
  }

private:
  static pid_t startBusy() {
    pid_t process = ::fork();
    if (process == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (volatile unsigned turns = 0;;)
        turns = turns + 1;
    }
    return process;
  }

  OneCore core;
  std::vector<pid_t> busy;
};

} // namespace tonno

#endif // TEST_UNIT_STARVATION_H
