//===- Children, their channels and their ends ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PeerProcess.h"
#include "Processes.h"

#include <csignal>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tonno;
using testing::HasSubstr;

static Json ask(Subprocess &child, const Json &message) {
  EXPECT_TRUE(child.send(message).ok());
  auto reply = child.receive(inSeconds(60));
  EXPECT_TRUE(reply.ok()) << message;
  return reply ? *reply : Json();
}

TEST(Subprocess, TalksToItsChild) {
  Subprocess child = startPeer();
  Json message = {{"bytes", Json::binary({1, 2, 255})}, {"n", 5}};
  EXPECT_EQ(ask(child, {{"echo", message}}), message);
  EXPECT_EQ(ask(child, {{"echo", "again"}}), "again");
}

TEST(Subprocess, ChildPrintsBesideTheProtocol) {
  // Standard input is empty, and output goes to standard error.
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
  auto reply = child.receive(inSeconds(60));
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error(), FrameFailure::closed);
  EXPECT_EQ(child.terminate(/*closed=*/true).text, "exit status 3");
}

TEST(Subprocess, TellsTheSignal) {
  Subprocess child = startPeer();
  ASSERT_TRUE(child.send({{"raise", SIGABRT}}).ok());
  ASSERT_FALSE(child.receive(inSeconds(60)).ok());
  EXPECT_THAT(child.terminate(/*closed=*/true).text,
              testing::StartsWith("signal 6 ("));
}

namespace {
/// Ignores a signal in this process, and in its children unless prevented.
class Ignored {
public:
  explicit Ignored(int signal)
      : signal(signal), before(std::signal(signal, SIG_IGN)) {}
  Ignored(const Ignored &) = delete;
  Ignored &operator=(const Ignored &) = delete;
  ~Ignored() { std::signal(signal, before); }

private:
  int signal;
  void (*before)(int);
};
} // namespace

/// Bits, the first signal's at the right.
static uint64_t ignoredSignals(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string word; status >> word;)
    if (word == "SigIgn:") {
      uint64_t bits = 0;
      status >> std::hex >> bits;
      return bits;
    }
  ADD_FAILURE() << "no such process";
  return 0;
}

TEST(Subprocess, WhatThisProcessIgnoresItsChildDoesNot) {
  std::optional<Ignored> pipes(SIGPIPE), sizes(SIGXFSZ), children(SIGCHLD);
  Subprocess child = startPeer();
  children.reset(); // else nothing tells how it ends
  uint64_t ignored = ignoredSignals(ask(child, {{"pid", true}}).get<pid_t>());
  EXPECT_EQ(ignored & (1u << (SIGPIPE - 1)), 0u);
  EXPECT_EQ(ignored & (1u << (SIGXFSZ - 1)), 0u);
  EXPECT_EQ(ignored & (1u << (SIGCHLD - 1)), 0u);
}

TEST(Subprocess, KilledChildIsSaidToBeKilled) {
  Subprocess child = startPeer();
  EXPECT_THAT(child.terminate().text, HasSubstr("signal 9 (Killed)"));
  EXPECT_EQ(child.terminate().text, "not running");
}

TEST(Subprocess, HangingChildIsNotWaitedFor) {
  Subprocess child = startPeer();
  ASSERT_TRUE(child.send({{"hang", true}}).ok());
  auto reply = child.receive(inSeconds(0.05));
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error(), FrameFailure::timed_out);
  EXPECT_THAT(child.terminate().text, HasSubstr("signal 9"));
}

TEST(Subprocess, GrandchildrenDieWithTheGroup) {
  pid_t grandchild = 0;
  {
    Subprocess child = startPeer();
    grandchild = ask(child, {{"fork", true}}).get<pid_t>();
    ASSERT_EQ(::kill(grandchild, 0), 0);
  }
  EXPECT_TRUE(exitsWithinGrace(grandchild));
}

TEST(Subprocess, GrandchildrenOfACrashedChildDieToo) {
  Subprocess child = startPeer();
  auto grandchild = ask(child, {{"fork", true}}).get<pid_t>();
  ASSERT_TRUE(child.send({{"exit", 0}}).ok());
  // The grandchild holds the channel open: only the end of the child tells.
  EXPECT_EQ(child.terminate(/*closed=*/true).text, "exit status 0");
  EXPECT_TRUE(exitsWithinGrace(grandchild));
}

TEST(Subprocess, BusyChildDiesWithAParentThatIsKilled) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  pid_t parent = ::fork();
  if (parent == 0) {
    Subprocess child = startPeer();
    auto pid = ask(child, {{"pid", true}}).get<pid_t>();
    bool told = child.send({{"hang", true}}).ok() &&
                ::write(ends[1], &pid, sizeof pid) == sizeof pid;
    if (!told)
      ::_exit(1);
    for (;;)
      ::pause();
  }
  pid_t child = 0;
  ASSERT_EQ(::read(ends[0], &child, sizeof child), sizeof child);
  EXPECT_EQ(::kill(child, 0), 0);
  ::kill(parent, SIGKILL);
  EXPECT_EQ(::waitpid(parent, nullptr, 0), parent);
  EXPECT_TRUE(exitsWithinGrace(child));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(Subprocess, ParentThatEndedBeforeTheClaimIsNoticed) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  ::close(ends[0]);
  pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDIN_FILENO);
    auto channel = claimFrameChannel();
    ::_exit(!channel && channel.error().message == "the parent has ended" ? 7
                                                                          : 0);
  }
  ::close(ends[1]);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(Subprocess, AssigningEndsTheFormerChild) {
  Subprocess child = startPeer();
  auto grandchild = ask(child, {{"fork", true}}).get<pid_t>();
  child = startPeer();
  EXPECT_TRUE(exitsWithinGrace(grandchild));
  EXPECT_EQ(ask(child, {{"echo", 2}}), 2);
}

TEST(Subprocess, LeadsItsOwnGroup) {
  auto child = Subprocess::spawn({"/bin/sh", "-c", "kill -TERM 0"});
  ASSERT_TRUE(child.ok());
  // `kill 0` reaches its group: were it ours, this test would not live on.
  EXPECT_THAT(child->terminate(/*closed=*/true).text, HasSubstr("signal 15"));
}

TEST(Subprocess, SeveralChildrenDoNotHoldEachOthersChannels) {
  Subprocess first = startPeer();
  Subprocess second = startPeer();
  EXPECT_EQ(ask(second, {{"echo", 1}}), 1);
  ASSERT_TRUE(first.send({{"exit", 0}}).ok());
  auto reply = first.receive(inSeconds(60));
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error(), FrameFailure::closed);
}

TEST(Subprocess, FindsProgramsOnThePath) {
  auto child = Subprocess::spawn({"sh", "-c", "exit 4"});
  ASSERT_TRUE(child.ok());
  EXPECT_EQ(child->terminate(/*closed=*/true).text, "exit status 4");
}

TEST(Subprocess, MissingProgramIsAnError) {
  for (const char *program : {"/nowhere/tonno-gone", "tonno-gone"}) {
    auto child = Subprocess::spawn({program});
    ASSERT_FALSE(child.ok());
    EXPECT_THAT(child.error().message, HasSubstr(program));
    EXPECT_THAT(child.error().message, HasSubstr("No such file"));
  }
}

TEST(Subprocess, BehindPipesAChildAnswersAndEndsWithItsInput) {
  int in[2], out[2];
  ASSERT_EQ(::pipe(in), 0);
  ASSERT_EQ(::pipe(out), 0);
  pid_t child = ::fork();
  if (child == 0) {
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    for (int end : {in[0], in[1], out[0], out[1]})
      ::close(end);
    auto channel = claimFrameChannel(::getppid(), /*graceSeconds=*/0);
    if (!channel || channel->input == channel->output)
      ::_exit(7);
    auto message = readFrame(channel->input);
    (void)writeFrame(channel->output, *message).ok();
    for (;;)
      ::pause();
  }
  ::close(in[0]);
  ::close(out[1]);
  ASSERT_TRUE(writeFrame(in[1], {{"echo", 5}}).ok());
  EXPECT_EQ(*readFrame(out[0], inSeconds(60)), Json({{"echo", 5}}));
  ::close(in[1]);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  ::close(out[0]);
}

namespace {

/// A process that starts others, tells their numbers, and is killed.
class Killed {
public:
  /// Runs `start`, which writes the number of a process into the given pipe.
  explicit Killed(const std::function<void(int pipe)> &start) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    pid_t parent = ::fork();
    if (parent == 0) {
      start(ends[1]);
      for (;;)
        ::pause();
    }
    EXPECT_EQ(::read(ends[0], &started, sizeof started), sizeof started);
    EXPECT_EQ(::kill(started, 0), 0);
    ::kill(parent, SIGKILL);
    EXPECT_EQ(::waitpid(parent, nullptr, 0), parent);
    ::close(ends[0]);
    ::close(ends[1]);
  }

  pid_t started = 0;
};

} // namespace

static void tell(int pipe, pid_t process) {
  (void)!::write(pipe, &process, sizeof process);
}

TEST(Subprocess, ProgramThatClaimsNothingDiesWithItsParent) {
  Killed parent([](int pipe) {
    static auto child = Subprocess::spawn({"sleep", "1000"});
    pid_t sleeping = 0;
    std::ifstream("/proc/thread-self/children") >> sleeping;
    tell(pipe, sleeping);
  });
  EXPECT_TRUE(exitsWithinGrace(parent.started));
}

TEST(Subprocess, WhatAForkedProcessHasStartedDiesWithItsParent) {
  Killed parent([](int pipe) {
    static auto child = Subprocess::fork([pipe](int) {
      // A script that waits for a program, which nothing binds to it.
      pid_t script = ::fork();
      if (script == 0) {
        pid_t program = ::fork();
        if (program != 0)
          tell(pipe, program);
        for (;;)
          ::pause();
      }
      for (;;)
        ::pause();
      return 0;
    });
  });
  EXPECT_TRUE(exitsWithinGrace(parent.started));
}

TEST(Subprocess, ForkedProcessThatIsStoppedDiesWithItsParent) {
  Adopter adopter;
  Killed parent([](int pipe) {
    static auto child = Subprocess::fork([](int) { return ::raise(SIGSTOP); });
    tell(pipe, ::waitpid(-1, nullptr, WUNTRACED));
  });
  EXPECT_TRUE(exitsWithinGrace(parent.started));
}

TEST(Subprocess, ForkedProcessGoesOnWhereOthersWakeIt) {
  auto child = Subprocess::fork([](int channel) {
    ::raise(SIGSTOP);
    return writeFrame(channel, "awake") ? 0 : 1;
  });
  ASSERT_TRUE(child.ok()) << child.error().message;
  // The signal comes from a process other than the parent.
  pid_t stopped = 0;
  int status = 0;
  do // a child that another test has left may end meanwhile
    stopped = ::waitpid(-1, &status, WUNTRACED);
  while (stopped > 0 && !WIFSTOPPED(status));
  auto other = Subprocess::spawn(
      {"sh", "-c", "kill -CONT " + std::to_string(stopped) + "; cat"});
  ASSERT_TRUE(other.ok()) << other.error().message;
  auto awake = child->receive(inSeconds(60));
  ASSERT_TRUE(awake.ok());
  EXPECT_EQ(*awake, "awake");
}

TEST(Subprocess, BehindAScriptAChildEndsWithWhoHasStartedIt) {
  Killed parent([](int pipe) {
    // Starts the peer from a script that is itself no child of the parent.
    static auto child = Subprocess::spawn(
        {"sh", "-c", "(sh -c '" PEER "; exit 0' <&3 & wait) 3<&0"});
    auto peer = ask(*child, {{"pid", true}}).get<pid_t>();
    tell(pipe, child->send({{"hang", true}}).ok() ? peer : 0);
  });
  EXPECT_TRUE(exitsWithinGrace(parent.started));
}

TEST(Subprocess, TokensAreNotInherited) {
  ::setenv("TONNO_STORE_TOKEN", "hush", 1);
  ::setenv("TONNO_STORE_TOKENS", "other", 1);
  auto child = Subprocess::spawn(
      {"sh", "-c",
       "test -z \"$TONNO_STORE_TOKEN\" && test $TONNO_STORE_TOKENS = other && "
       "exit 4"});
  ::unsetenv("TONNO_STORE_TOKEN");
  ::unsetenv("TONNO_STORE_TOKENS");
  ASSERT_TRUE(child.ok());
  EXPECT_EQ(child->terminate(/*closed=*/true).text, "exit status 4");
}
