//===- What a process is set to -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProcessState.h"

#include <fcntl.h>
#include <unistd.h>

using namespace tonno;

/// -1 where it can't be opened: then it stays as it is.
static int workingDirectory() {
  static const int directory = ::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  return directory;
}

static constexpr std::array timers = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};

static bool isRunning(const itimerval &timer) {
  return timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0;
}

namespace {
struct Limit {
  __rlimit_resource resource;
  const char *name;
};
} // namespace

static constexpr Limit knownLimits[] = {
    {RLIMIT_CPU, "RLIMIT_CPU"},
    {RLIMIT_FSIZE, "RLIMIT_FSIZE"},
    {RLIMIT_DATA, "RLIMIT_DATA"},
    {RLIMIT_STACK, "RLIMIT_STACK"},
    {RLIMIT_CORE, "RLIMIT_CORE"},
    {RLIMIT_RSS, "RLIMIT_RSS"},
    {RLIMIT_NPROC, "RLIMIT_NPROC"},
    {RLIMIT_NOFILE, "RLIMIT_NOFILE"},
    {RLIMIT_MEMLOCK, "RLIMIT_MEMLOCK"},
    {RLIMIT_AS, "RLIMIT_AS"},
    {RLIMIT_LOCKS, "RLIMIT_LOCKS"},
    {RLIMIT_SIGPENDING, "RLIMIT_SIGPENDING"},
    {RLIMIT_MSGQUEUE, "RLIMIT_MSGQUEUE"},
    {RLIMIT_NICE, "RLIMIT_NICE"},
    {RLIMIT_RTPRIO, "RLIMIT_RTPRIO"},
    {RLIMIT_RTTIME, "RLIMIT_RTTIME"},
};

static bool isStill(const Limit &limit, const rlimit &before) {
  rlimit now;
  return ::getrlimit(limit.resource, &now) == 0 &&
         now.rlim_cur == before.rlim_cur && now.rlim_max == before.rlim_max;
}

ProcessState::ProcessState() : mask(::umask(0)) {
  ::umask(mask);
  for (int signal = 1; signal < NSIG; ++signal)
    ::sigaction(signal, nullptr, &actions[static_cast<size_t>(signal)]);
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  for (size_t i = 0; i < timers.size(); ++i) {
    itimerval now;
    ::getitimer(timers[i], &now);
    timerRuns[i] = isRunning(now);
  }
  for (const Limit &limit : knownLimits)
    ::getrlimit(limit.resource, &limits[limit.resource]);
  (void)workingDirectory();
}

bool ProcessState::keptMask() const {
  mode_t now = ::umask(mask);
  ::umask(now);
  return now == mask;
}

const char *ProcessState::findChangedLimit() const {
  for (const Limit &limit : knownLimits)
    if (!isStill(limit, limits[limit.resource]))
      return limit.name;
  return nullptr;
}

void ProcessState::restore() const {
  // No signal from here on that a handler of theirs would get.
  for (size_t i = 0; i < timers.size(); ++i) {
    itimerval none = {};
    if (!timerRuns[i])
      ::setitimer(timers[i], &none, nullptr);
  }
  for (int signal = 1; signal < NSIG; ++signal) {
    const struct sigaction &before = actions[static_cast<size_t>(signal)];
    struct sigaction now;
    if (::sigaction(signal, nullptr, &now) == 0 &&
        (now.sa_sigaction != before.sa_sigaction ||
         now.sa_flags != before.sa_flags))
      ::sigaction(signal, &before, nullptr);
  }
  ::pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  ::umask(mask);
  // It fails where the hard limit was lowered, which an inventory finds.
  for (const Limit &limit : knownLimits)
    if (!isStill(limit, limits[limit.resource]))
      (void)::setrlimit(limit.resource, &limits[limit.resource]);
  if (int directory = workingDirectory(); directory >= 0)
    (void)::fchdir(directory); // as the mask: it fails where it is gone
}
