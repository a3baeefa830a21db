//===- Tests for the start of programs ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Process/ProgramStart.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tonno;

TEST(Program, WriteBeyondTheLimitOfAFilesSizeIsAnError) {
  auto begun = [] {
    std::signal(SIGXFSZ, SIG_DFL);
    beginProgram();
    rlimit none = {0, 0};
    ::setrlimit(RLIMIT_FSIZE, &none);
    std::FILE *file = std::tmpfile();
    bool ok = file && ::write(::fileno(file), "x", 1) < 0 && errno == EFBIG;
    ::_exit(ok ? 0 : 1);
  };
  EXPECT_EXIT(begun(), testing::ExitedWithCode(0), "");
}

TEST(Program, CountsOnNothingThatItsStarterHasSet) {
  auto begun = [] {
    std::signal(SIGCHLD, SIG_IGN);
    std::signal(SIGPIPE, SIG_DFL);
    beginProgram();
    int ends[2], status = 0;
    bool ok = ::pipe(ends) == 0 && ::close(ends[0]) == 0 &&
              ::write(ends[1], "x", 1) < 0 && errno == EPIPE;
    pid_t child = ::fork();
    if (child == 0)
      ::_exit(7);
    ok &= ::waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7;
    ::_exit(ok ? 0 : 1);
  };
  EXPECT_EXIT(begun(), testing::ExitedWithCode(0), "");
}

TEST(Program, TerminatesWithTheParentThatItNames) {
  auto begun = [] {
    pid_t ended = ::fork();
    if (ended == 0)
      ::_exit(0);
    ::waitpid(ended, nullptr, 0);
    pid_t child = ::fork();
    if (child == 0) {
      int signal = 0;
      bool isRefused = !terminateWithParent(ended).ok();
      bool isBound = terminateWithParent(::getppid()).ok() &&
                     ::prctl(PR_GET_PDEATHSIG, &signal) == 0;
      ::_exit(isRefused && isBound && signal == SIGTERM ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ::_exit(WEXITSTATUS(status));
  };
  EXPECT_EXIT(begun(), testing::ExitedWithCode(0), "");
}
