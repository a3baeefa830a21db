//===- Candidates' code in this process -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Confinement.h"
#include "tonno/Core/ProcessEnd.h"
#include "tonno/Core/StrayProcesses.h"
#include "tonno/Runtime/Environment.h"
#include "GuardedBlocks.h"
#include "Runner/RunnerExit.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

using namespace tonno;

namespace {
/// Of the thread that asks: another one's forks are none of a candidate's.
struct State {
  Confinement::Phase phase = Confinement::Phase::outside;
  bool hasForked = false;
  pid_t process = 0;
};

/// Of the process.
struct Memory {
  uint64_t allowance = availableMemory() / 2; ///< bytes; 0: not limited
  uint64_t held = 0;                          ///< by candidates that came back
};
} // namespace

static thread_local State state;
static bool ownsAllChildren = false;

static Memory &memory() {
  static Memory memory;
  return memory;
}

/// Bytes of address space that this process holds; 0 if that is not told.
static uint64_t addressSpace() {
  static const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  char text[128];
  ssize_t length = file < 0 ? -1 : ::pread(file, text, sizeof text - 1, 0);
  if (length <= 0)
    return 0;
  text[length] = '\0';
  return std::strtoull(text, nullptr, 10) *
         static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// A copy of this process, which would run on as a second judge.
static void watchForks() {
  static const bool watched = [] {
    auto parent = [] {
      state.hasForked |= state.phase != Confinement::Phase::outside;
    };
    auto child = [] {
      if (state.phase != Confinement::Phase::outside)
        ::_exit(0);
    };
    return ::pthread_atfork(nullptr, parent, child) == 0;
  }();
  (void)watched;
}

/// Bounds what may be had beyond `held`, and returns the limit before.
static rlimit limitMemory(uint64_t held) {
  const Memory &bounds = memory();
  rlimit before;
  ::getrlimit(RLIMIT_AS, &before);
  if (held != 0 && bounds.allowance != 0) {
    uint64_t left = bounds.allowance - std::min(bounds.held, bounds.allowance);
    rlimit limit = before;
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, held + left);
    ::setrlimit(RLIMIT_AS, &limit);
  }
  return before;
}

Confinement::Confinement(Phase phase)
    : heldBefore(addressSpace()), limitBefore(limitMemory(heldBefore)) {
  watchForks();
  std::fegetenv(&arithmetic);
  state = {phase, false, ::getpid()};
  errno = 0; // the handler below asks why memory was missing
}

Confinement::~Confinement() {
  settings.restore();
  state.phase = Phase::outside;
  // It fails where the hard limit was lowered, which an inventory finds.
  (void)::setrlimit(RLIMIT_AS, &limitBefore);
  std::fesetenv(&arithmetic);
  uint64_t holds = addressSpace();
  if (heldBefore != 0 && holds > heldBefore)
    memory().held += holds - heldBefore;
}

/// How numbers are computed: not which exceptions there were.
static bool computesAlike(const std::fenv_t &one, const std::fenv_t &other) {
#if defined(__x86_64__)
  constexpr unsigned exceptions = 0x3F;
  return (one.__mxcsr & ~exceptions) == (other.__mxcsr & ~exceptions) &&
         one.__control_word == other.__control_word;
#elif defined(__aarch64__)
  return one.__fpcr == other.__fpcr;
#else
  (void)one, (void)other;
  return true;
#endif
}

Result<void, Failure> Confinement::check() const {
  if (::getpid() != state.process)
    ::_exit(0); // forked without the C library
  std::fenv_t now;
  std::fegetenv(&now);
  if (!computesAlike(now, arithmetic))
    return Failure{Status::fault,
                   "leaves its rounding, subnormal numbers or exceptions to "
                   "who called it, as no kernel may"};
  if (!settings.keptMask())
    return Failure{Status::fault, "leaves another umask, as no kernel may"};
  if (const char *limit = settings.findChangedLimit())
    return Failure{Status::fault, std::string("leaves another limit, ") +
                                      limit + ", as no kernel may"};
  bool left = ownsAllChildren && endStrayProcesses() != 0;
  if (left || state.hasForked)
    return Failure{Status::fault, "started a process, as no kernel may"};
  return {};
}

void tonno::confineToThisProcess() {
  ownsAllChildren = true;
  adoptStrayProcesses();
}

bool tonno::isCandidatesMemoryUsedUp() {
  return memory().allowance != 0 && memory().held > memory().allowance / 2;
}

static constexpr std::array crashes = {SIGSEGV, SIGBUS,  SIGABRT, SIGILL,
                                       SIGFPE,  SIGTRAP, SIGSYS};
static std::array<struct sigaction, crashes.size()> actionsBefore;

/// Whether it has used what it did not get, null and an offset, or has given
/// up. That a call failed once tells nothing: it may have coped.
static bool lacksMemory(const siginfo_t &info) {
  if (errno != ENOMEM)
    return false;
  if (info.si_signo != SIGSEGV)
    return info.si_signo == SIGABRT;
  constexpr auto lowestMapping = uintptr_t{1} << 32;
  return info.si_code == SEGV_MAPERR &&
         reinterpret_cast<uintptr_t>(info.si_addr) < lowestMapping;
}

static void tellCrash(int signal, siginfo_t *info, void *) {
  using Phase = Confinement::Phase;
  if (state.phase != Phase::outside && lacksMemory(*info))
    ::_exit(outOfMemoryExit);
  if (state.phase == Phase::loading)
    ::_exit(runnerLoaderCrashed);
  if (state.phase != Phase::outside && signal == SIGSEGV && info->si_code > 0) {
    switch (sideOf(info->si_addr)) {
    case BlockSide::before:
      ::_exit(runnerReachedBefore);
    case BlockSide::inside:
      ::_exit(runnerWroteInput);
    case BlockSide::behind:
      ::_exit(runnerReachedBehind);
    case BlockSide::none:
      break;
    }
  }
  for (size_t i = 0; i < crashes.size(); ++i)
    if (crashes[i] == signal)
      ::sigaction(signal, &actionsBefore[i], nullptr);
  // An instruction that fails does so again.
  if (info->si_code <= 0)
    ::raise(signal);
}

void tonno::tellHowCandidatesCrash() {
  struct sigaction action = {};
  action.sa_sigaction = tellCrash;
  action.sa_flags = SA_SIGINFO;
  for (size_t i = 0; i < crashes.size(); ++i)
    ::sigaction(crashes[i], &action, &actionsBefore[i]);
}
