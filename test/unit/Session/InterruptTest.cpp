//===- The first signal asks, the second one ends -------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/Interrupt.h"

#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tonno;

/// Returns the exit status of a child that runs `work`; if a signal ended it,
/// the signal's number, negated.
template <typename Work> static int inChild(Work work) {
  pid_t child = ::fork();
  if (child == 0)
    ::_exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

TEST(Interrupt, FirstSignalSetsTheFlag) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    EXPECT_EQ(inChild([=] {
                InterruptScope scope;
                if (InterruptScope::received() != 0)
                  return 99;
                std::raise(signal);
                return InterruptScope::received();
              }),
              signal);
}

TEST(Interrupt, SecondSignalEndsAtOnce) {
  EXPECT_EQ(inChild([] {
              InterruptScope scope(/*sameRequestSeconds=*/0.001);
              std::raise(SIGINT);
              // Later than one request that arrives twice.
              std::this_thread::sleep_for(std::chrono::milliseconds(2));
              std::raise(SIGTERM);
              return 0;
            }),
            128 + SIGTERM);
}

TEST(Interrupt, OneRequestThatArrivesTwiceIsOne) {
  EXPECT_EQ(inChild([] {
              InterruptScope scope(/*sameRequestSeconds=*/60);
              std::raise(SIGTERM);
              std::raise(SIGTERM);
              return InterruptScope::received();
            }),
            SIGTERM);
}

TEST(Interrupt, NohupIsHeeded) {
  EXPECT_EQ(inChild([] {
              std::signal(SIGHUP, SIG_IGN);
              {
                InterruptScope scope;
                std::raise(SIGHUP);
              }
              std::raise(SIGHUP);
              return 40 + InterruptScope::received();
            }),
            40);
}

TEST(Interrupt, SignalsAreDeadlyAgainAfterTheScope) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    EXPECT_EQ(inChild([=] {
                std::signal(signal, SIG_DFL); // whoever started the tests
                {
                  InterruptScope scope;
                }
                std::raise(signal);
                return 0;
              }),
              -signal);
}
