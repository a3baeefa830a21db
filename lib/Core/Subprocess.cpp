//===- Subprocess.cpp - A child process that speaks frames ----------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Core/Subprocess.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

using namespace tonno;

/// A parent that is killed can't end its children, and one that runs a kernel
/// without end would not read that its input has ended: the kernel ends it.
///
/// The signal comes when the thread ends that spawned this process, not the
/// whole parent. That is safe: a Subprocess lives within a call of tuneModule,
/// which starts no thread, so the thread that spawns a child also outlives it,
/// even where a pass manager runs the pass on a thread of its pool.
static Result<void> dieWithParent(int channel) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
    return Error{std::string("cannot be bound to the parent's life: ") +
                 std::strerror(errno)};
  // It may have ended before. Who the parent is now does not tell: it may well
  // be process 1. But only the parent had the other end.
  pollfd other = {channel, POLLRDHUP, 0};
  constexpr short gone = POLLRDHUP | POLLHUP; // of a socket, not of a pipe
  if (::poll(&other, 1, 0) == 1 && (other.revents & gone) == gone)
    return Error{"the parent has ended"};
  return {};
}

static Result<void> makeChannel(int (&ends)[2]) {
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Error{std::string("cannot make a socket pair: ") +
                 std::strerror(errno)};
  return {};
}

Result<Subprocess> Subprocess::spawn(const std::vector<std::string> &argv,
                                     Ending ending) {
  int ends[2];
  if (auto made = makeChannel(ends); !made)
    return made.error();

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);

  std::vector<char *> arguments;
  for (const std::string &argument : argv)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = -1;
  int failure = ::posix_spawnp(&pid, arguments[0], &actions, &attributes,
                               arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (failure != 0) {
    ::close(ends[0]);
    bool isSearched = argv[0].find('/') == std::string::npos;
    return Error{"cannot start '" + argv[0] + "': " + std::strerror(failure) +
                 (isSearched ? " on the PATH" : "")};
  }
  return Subprocess(pid, ends[0], ending);
}

Result<Subprocess>
Subprocess::fork(const std::function<int(int channel)> &work) {
  int ends[2];
  if (auto made = makeChannel(ends); !made)
    return made.error();
  pid_t pid = ::fork();
  if (pid == 0) {
    ::close(ends[0]);
    bool isBound = ::setpgid(0, 0) == 0 && dieWithParent(ends[1]).ok();
    ::_exit(isBound ? work(ends[1]) : EXIT_FAILURE);
  }
  int failure = errno;
  ::close(ends[1]);
  if (pid < 0) {
    ::close(ends[0]);
    return Error{std::string("cannot fork: ") + std::strerror(failure)};
  }
  ::setpgid(pid, pid); // whoever comes first
  return Subprocess(pid, ends[0], Ending::killed);
}

Subprocess::Subprocess(Subprocess &&other) noexcept
    : pid(std::exchange(other.pid, -1)),
      channel(std::exchange(other.channel, -1)), ending(other.ending) {}

Subprocess &Subprocess::operator=(Subprocess &&other) noexcept {
  if (this != &other) {
    terminate();
    pid = std::exchange(other.pid, -1);
    channel = std::exchange(other.channel, -1);
    ending = other.ending;
  }
  return *this;
}

Subprocess::~Subprocess() { terminate(); }

static std::string describeEnd(int status) {
  if (WIFSIGNALED(status))
    return "signal " + std::to_string(WTERMSIG(status)) + " (" +
           strsignal(WTERMSIG(status)) + ")";
  return "exit status " + std::to_string(WEXITSTATUS(status));
}

bool Subprocess::waitForInput(Deadline deadline) const {
  pollfd ready = {channel, POLLIN, 0};
  for (;;) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(
        std::max(deadline - Clock::now(), Clock::duration::zero()));
    int polled = ::poll(&ready, 1, static_cast<int>(left.count()));
    if (polled >= 0 || errno != EINTR)
      return polled != 0;
  }
}

Result<Json, FrameFailure> Subprocess::receiveWithin(double seconds) {
  FairLimit limit = this->limit(seconds);
  while (!waitForInput(limit.earliest()))
    if (limit.hasPassed())
      return FrameFailure::timed_out;
  return receive(inSeconds(seconds));
}

bool Subprocess::endsSoon(int &status) const {
  FairLimit patience = limit(0.5);
  for (;;) {
    if (::waitpid(pid, &status, WNOHANG) == pid)
      return true;
    if (patience.hasPassed())
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

ProcessEnd Subprocess::terminate(bool closed) {
  if (pid < 0)
    return {"not running"};
  int status = 0;
  // Its own end is the reason worth telling; ours would hide it.
  bool byItself = closed && endsSoon(status);
  bool hasEnded = byItself;
  if (!hasEnded && ending == Ending::asked) {
    ::kill(pid, SIGTERM);
    hasEnded = endsSoon(status);
  }
  ::kill(-pid, SIGKILL);
  while (!hasEnded)
    hasEnded = ::waitpid(pid, &status, 0) == pid || errno != EINTR;
  pid = -1;
  ::close(std::exchange(channel, -1));
  return {describeEnd(status),
          WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt,
          byItself && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
          closed && !byItself};
}

/// Behind pipes the parent is not the peer, and outlives it. What was asked for
/// before is answered if that takes no time.
static void dieWithInput(int input) {
  std::thread([input] {
    pollfd end = {input, 0, 0}; // its end is always told
    while (::poll(&end, 1, -1) < 0 && errno == EINTR)
      ;
    std::this_thread::sleep_for(std::chrono::seconds(1));
    ::_exit(EXIT_FAILURE);
  }).detach();
}

static bool isSocket(int descriptor) {
  struct stat about = {};
  return ::fstat(descriptor, &about) == 0 && S_ISSOCK(about.st_mode);
}

Result<ProtocolChannel> tonno::claimProtocolChannel() {
  ProtocolChannel channel;
  channel.input = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
  channel.output = isSocket(STDIN_FILENO)
                       ? channel.input
                       : ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
  int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (channel.input < 0 || channel.output < 0 || null < 0 ||
      ::dup2(null, STDIN_FILENO) < 0 ||
      ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    return Error{std::string("cannot set up the protocol's channel: ") +
                 std::strerror(errno)};
  ::close(null);
  if (auto bound = dieWithParent(channel.input); !bound)
    return bound.error();
  if (channel.input != channel.output)
    dieWithInput(channel.input);
  rlimit core;
  if (::getrlimit(RLIMIT_CORE, &core) == 0) {
    core.rlim_cur = 0;
    ::setrlimit(RLIMIT_CORE, &core);
  }
  return channel;
}
