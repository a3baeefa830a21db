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
  EXPECT_EQ(late.text(0.05), "gave no answer within 0.05 s");
  Subprocess ended = startPeer();
  ASSERT_TRUE(ended.send({{"exit", outOfMemoryExit}}).ok());
  NoAnswer exited = ended.terminate(ended.receive(inSeconds(60)).error());
  EXPECT_EQ(exited.cause, Cause::out_of_memory);
  EXPECT_EQ(exited.text(1), "ended: exit status 113");
}
