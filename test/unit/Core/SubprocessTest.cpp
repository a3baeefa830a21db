//===- SubprocessTest.cpp - Children, their channels and their ends -----===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Core/Subprocess.h"

#include <cerrno>
#include <csignal>
#include <gmock/gmock.h>
#include <thread>

using namespace tonno;
using testing::HasSubstr;

static Subprocess startPeer() {
  auto child = Subprocess::spawn({PEER});
  EXPECT_TRUE(child.ok()) << child.error().message;
  return std::move(*child);
}

static Json ask(Subprocess &child, const Json &message) {
  EXPECT_TRUE(child.send(message).ok());
  auto reply = child.receive(inSeconds(20));
  EXPECT_TRUE(reply.ok()) << message;
  return reply ? *reply : Json();
}

/// Whether the process ends soon. One that is dead but not yet reaped by init
/// counts as ended.
static bool endsSoon(pid_t pid) {
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

TEST(Subprocess, TalksToItsChild) {
  Subprocess child = startPeer();
  Json message = {{"bytes", Json::binary({1, 2, 255})}, {"n", 5}};
  EXPECT_EQ(ask(child, {{"echo", message}}), message);
  EXPECT_EQ(ask(child, {{"echo", "again"}}), "again");
}

TEST(Subprocess, ChildPrintsBesideTheProtocol) {
  // Standard input is empty, and what is printed goes to standard error.
  testing::internal::CaptureStderr();
  Subprocess child = startPeer();
  Json reply = ask(child, {{"print", "TNO1 garbage"}});
  EXPECT_EQ(reply, Json({{"stdin_at_end", true}}));
  EXPECT_EQ(ask(child, {{"echo", 1}}), 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "TNO1 garbage\n");
}

TEST(Subprocess, TellsTheExitStatus) {
  Subprocess child = startPeer();
  ASSERT_TRUE(child.send({{"exit", 3}}).ok());
  auto reply = child.receive(inSeconds(20));
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error(), FrameFailure::closed);
  EXPECT_EQ(child.terminate(/*closed=*/true), "exit status 3");
}

TEST(Subprocess, TellsTheSignal) {
  Subprocess child = startPeer();
  ASSERT_TRUE(child.send({{"raise", SIGABRT}}).ok());
  ASSERT_FALSE(child.receive(inSeconds(20)).ok());
  EXPECT_THAT(child.terminate(/*closed=*/true),
              testing::StartsWith("signal 6 ("));
}

TEST(Subprocess, KilledChildIsSaidToBeKilled) {
  Subprocess child = startPeer();
  EXPECT_THAT(child.terminate(), HasSubstr("signal 9 (Killed)"));
  EXPECT_EQ(child.terminate(), "not running");
}

TEST(Subprocess, HangingChildIsNotWaitedFor) {
  Subprocess child = startPeer();
  ASSERT_TRUE(child.send({{"hang", true}}).ok());
  auto reply = child.receive(inSeconds(0.05));
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error(), FrameFailure::timed_out);
  EXPECT_THAT(child.terminate(), HasSubstr("signal 9"));
}

TEST(Subprocess, GrandchildrenDieWithTheGroup) {
  pid_t grandchild = 0;
  {
    Subprocess child = startPeer();
    grandchild = ask(child, {{"fork", true}}).get<pid_t>();
    ASSERT_EQ(::kill(grandchild, 0), 0);
  }
  EXPECT_TRUE(endsSoon(grandchild));
}

TEST(Subprocess, GrandchildrenOfACrashedChildDieToo) {
  Subprocess child = startPeer();
  auto grandchild = ask(child, {{"fork", true}}).get<pid_t>();
  ASSERT_TRUE(child.send({{"exit", 0}}).ok());
  // The grandchild holds the channel open: only the end of the child tells.
  EXPECT_EQ(child.terminate(/*closed=*/true), "exit status 0");
  EXPECT_TRUE(endsSoon(grandchild));
}

TEST(Subprocess, AssigningEndsTheFormerChild) {
  Subprocess child = startPeer();
  auto grandchild = ask(child, {{"fork", true}}).get<pid_t>();
  child = startPeer();
  EXPECT_TRUE(endsSoon(grandchild));
  EXPECT_EQ(ask(child, {{"echo", 2}}), 2);
}

TEST(Subprocess, LeadsItsOwnGroup) {
  auto child = Subprocess::spawn({"/bin/sh", "-c", "kill -TERM 0"});
  ASSERT_TRUE(child.ok());
  // `kill 0` reaches its group: were it ours, this test would not live on.
  EXPECT_THAT(child->terminate(/*closed=*/true), HasSubstr("signal 15"));
}

TEST(Subprocess, SeveralChildrenDoNotHoldEachOthersChannels) {
  Subprocess first = startPeer();
  Subprocess second = startPeer();
  EXPECT_EQ(ask(second, {{"echo", 1}}), 1);
  ASSERT_TRUE(first.send({{"exit", 0}}).ok());
  auto reply = first.receive(inSeconds(20));
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error(), FrameFailure::closed);
}

TEST(Subprocess, FindsProgramsOnThePath) {
  auto child = Subprocess::spawn({"sh", "-c", "exit 4"});
  ASSERT_TRUE(child.ok());
  EXPECT_EQ(child->terminate(/*closed=*/true), "exit status 4");
}

TEST(Subprocess, MissingProgramIsAnError) {
  for (const char *program : {"/nowhere/tonno-gone", "tonno-gone"}) {
    auto child = Subprocess::spawn({program});
    ASSERT_FALSE(child.ok());
    EXPECT_THAT(child.error().message, HasSubstr(program));
    EXPECT_THAT(child.error().message, HasSubstr("No such file"));
  }
}
