//===- Supervisor that ends stray processes -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Process/Supervisor.h"
#include "tonno/Process/ProcessTable.h"
#include "tonno/Process/Subprocess.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tonno;

static Error failed(const std::string &what) {
  return Error{"cannot be supervised: " + what + ": " + std::strerror(errno)};
}

/// Closes this process's ends of the channel, so that its peer sees when the
/// copy has closed it.
static void closeChannelEnds() {
  int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0 || ::dup2(null, STDIN_FILENO) < 0 ||
      ::dup2(null, STDOUT_FILENO) < 0) {
    ::close(STDIN_FILENO);
    ::close(STDOUT_FILENO);
  }
}

/// Ends this process with the copy's status, for its parent to see.
[[noreturn]] static void exitLike(int status) {
  if (WIFSIGNALED(status)) {
    rlimit none = {0, 0};
    ::setrlimit(RLIMIT_CORE, &none); // the copy has left one, if any
    int signal = WTERMSIG(status);
    ::signal(signal, SIG_DFL);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    ::raise(signal);
    ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
  }
  ::_exit(WEXITSTATUS(status));
}

[[noreturn]] static void supervise(pid_t copy, pid_t starter,
                                   const std::function<void()> &last) {
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGTERM);
  sigaddset(&awaited, SIGCONT);
  sigaddset(&awaited, SIGCHLD);
  int status = 0;
  bool isAsked = false;
  for (;;) {
    pid_t ended = ::waitpid(copy, &status, WNOHANG);
    if (ended == copy)
      break;
    siginfo_t info = {};
    int signal = ::sigwaitinfo(&awaited, &info);
    if (signal == SIGTERM ||
        (signal == SIGCONT && isParentDeathSignal(starter, info)))
      isAsked = ::kill(copy, SIGKILL) == 0;
  }
  endStrayProcesses();
  last();
  // A kill from here must not look like a lack of memory.
  bool wasKilled = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  exitLike(isAsked && wasKilled ? SIGTERM : status);
}

Result<pid_t> tonno::continueSupervised(const std::function<void()> &last) {
  pid_t starter = ::getppid();
  // Blocks all signals, so that only the awaited ones are received.
  sigset_t all, before;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);
  // The copy detects by its channel that the parent ended earlier. SIGCONT also
  // reaches a process that a candidate has stopped.
  if (::prctl(PR_SET_PDEATHSIG, SIGCONT) != 0)
    return failed("prctl");
  adoptStrayProcesses();
  ::signal(SIGCHLD, SIG_DFL); // else children leave no status
  pid_t parent = ::getpid();
  pid_t copy = ::fork();
  if (copy == 0) {
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
      return failed("prctl");
    if (::getppid() != parent) // it has ended before
      ::_exit(EXIT_FAILURE);
    return starter;
  }
  if (copy < 0) {
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return failed("fork");
  }
  closeChannelEnds();
  supervise(copy, starter, last);
}
