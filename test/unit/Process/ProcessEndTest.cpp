//===- Tests for causes of process ends -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PeerProcess.h"

#include <csignal>
#include <gtest/gtest.h>

using namespace tonno;

static NoAnswer::Cause causeOfSignal(int signal) {
  Subprocess child = startPeer();
  EXPECT_TRUE(child.send({{"raise", signal}}).ok());
  auto reply = child.receive(inSeconds(60));
  EXPECT_FALSE(reply.ok());
  return child.terminate(reply.error()).cause;
}

TEST(NoAnswer, OnlySignalsThatCodeCausesAreItsOwn) {
  using Cause = NoAnswer::Cause;
  for (int own : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS})
    EXPECT_EQ(causeOfSignal(own), Cause::crashed) << own;
  for (int sent : {SIGTERM, SIGHUP, SIGINT, SIGPIPE, SIGXCPU, SIGUSR1})
    EXPECT_EQ(causeOfSignal(sent), Cause::ended) << sent;
  EXPECT_EQ(causeOfSignal(SIGKILL), Cause::killed);
}

TEST(NoAnswer, SaysWhyThereIsNone) {
  using Cause = NoAnswer::Cause;
  Subprocess slow = startPeer();
  ASSERT_TRUE(slow.send({{"hang", true}}).ok());
  NoAnswer late = slow.terminate(slow.receive(inSeconds(0.05)).error());
  EXPECT_EQ(late.cause, Cause::timed_out);
  EXPECT_EQ(late.text("the peer", 0.05),
            "the peer gave no answer within 0.05 s");
  Subprocess ended = startPeer();
  ASSERT_TRUE(ended.send({{"exit", outOfMemoryExit}}).ok());
  NoAnswer exited = ended.terminate(ended.receive(inSeconds(60)).error());
  EXPECT_EQ(exited.cause, Cause::out_of_memory);
  EXPECT_EQ(exited.duringInterrupt().cause, Cause::out_of_memory);
  EXPECT_EQ(exited.text("the peer", 1), "the peer ended: exit status 113");
}

TEST(NoAnswer, ASignalDuringAnInterruptIsTheUsers) {
  using Cause = NoAnswer::Cause;
  Subprocess child = startPeer();
  ASSERT_TRUE(child.send({{"raise", SIGTERM}}).ok());
  NoAnswer ended = child.terminate(child.receive(inSeconds(60)).error());
  EXPECT_EQ(ended.text("the peer", 1),
            "the peer ended: signal 15 (Terminated)");
  NoAnswer interrupted = ended.duringInterrupt();
  EXPECT_EQ(interrupted.cause, Cause::cancelled);
  EXPECT_EQ(interrupted.text("the peer", 1),
            "interrupted while waiting for the peer");
}
