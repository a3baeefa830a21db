//===- What candidates may do to this process -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Confinement.h"
#include "tonno/Core/File.h"
#include "tonno/Process/ProcessEnd.h"
#include "tonno/Process/ProcessTable.h"
#include "tonno/Runtime/Environment.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <link.h>
#include <memory>
#include <pthread.h>
#include <unistd.h>

using namespace tonno;

namespace {
struct GuardedBlock {
  std::atomic<uintptr_t> begin = 0; ///< 0: no block
  std::atomic<uintptr_t> end = 0;
};
} // namespace

/// A signal handler may find them in any state but half a number.
static std::array<GuardedBlock, 1024> guardedBlocks;

void tonno::addGuardedBlock(const void *block, size_t bytes) {
  auto begin = reinterpret_cast<uintptr_t>(block);
  for (GuardedBlock &entry : guardedBlocks) {
    uintptr_t none = 0;
    if (!entry.begin.compare_exchange_strong(none, begin))
      continue;
    entry.end = begin + bytes;
    return;
  }
}

void tonno::removeGuardedBlock(const void *block) {
  auto begin = reinterpret_cast<uintptr_t>(block);
  for (GuardedBlock &entry : guardedBlocks)
    if (entry.begin == begin) {
      entry.end = 0;
      entry.begin = 0;
      return;
    }
}

BlockSide tonno::findBlockSide(const void *pointer) {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  for (const GuardedBlock &entry : guardedBlocks) {
    uintptr_t begin = entry.begin, end = entry.end;
    if (begin == 0 || end == 0)
      continue;
    if (address >= begin && address < end)
      return BlockSide::inside;
    if (address < begin && begin - address <= guardBytes)
      return BlockSide::before;
    if (address >= end && address - end < guardBytes)
      return BlockSide::behind;
  }
  return BlockSide::none;
}

/// -1 where it can't be opened: then it stays as it is.
static int workingDirectory() {
  static const int directory = ::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  return directory;
}

static constexpr std::array timers = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};

static constexpr std::array<const char *, RLIM_NLIMITS> limitNames = {
    "RLIMIT_CPU",      "RLIMIT_FSIZE", "RLIMIT_DATA",   "RLIMIT_STACK",
    "RLIMIT_CORE",     "RLIMIT_RSS",   "RLIMIT_NPROC",  "RLIMIT_NOFILE",
    "RLIMIT_MEMLOCK",  "RLIMIT_AS",    "RLIMIT_LOCKS",  "RLIMIT_SIGPENDING",
    "RLIMIT_MSGQUEUE", "RLIMIT_NICE",  "RLIMIT_RTPRIO", "RLIMIT_RTTIME"};
static_assert(RLIMIT_CORE == 4 && RLIMIT_NOFILE == 7 && RLIMIT_AS == 9 &&
              RLIMIT_RTTIME == 15);

static Limits readLimits() {
  Limits limits = {};
  for (size_t i = 0; i < limits.size(); ++i)
    ::getrlimit(static_cast<__rlimit_resource>(i), &limits[i]);
  return limits;
}

static bool areEqual(const rlimit &left, const rlimit &right) {
  return left.rlim_cur == right.rlim_cur && left.rlim_max == right.rlim_max;
}

ProcessState::ProcessState() : mask(::umask(0)), limits(readLimits()) {
  ::umask(mask);
  for (int signal = 1; signal < NSIG; ++signal)
    ::sigaction(signal, nullptr, &actions[static_cast<size_t>(signal)]);
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  for (size_t i = 0; i < timers.size(); ++i) {
    itimerval now;
    ::getitimer(timers[i], &now);
    timerRuns[i] = now.it_value.tv_sec != 0 || now.it_value.tv_usec != 0;
  }
  (void)workingDirectory();
}

bool ProcessState::hasUnchangedUmask() const {
  mode_t now = ::umask(mask);
  ::umask(now);
  return now == mask;
}

const char *ProcessState::findChangedLimit() const {
  Limits now = readLimits();
  for (size_t i = 0; i < limits.size(); ++i)
    if (!areEqual(now[i], limits[i]))
      return limitNames[i];
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
  // Fails if the hard limit was lowered, which an inventory finds.
  Limits now = readLimits();
  for (size_t i = 0; i < limits.size(); ++i)
    if (!areEqual(now[i], limits[i]))
      (void)::setrlimit(static_cast<__rlimit_resource>(i), &limits[i]);
  if (int directory = workingDirectory(); directory >= 0)
    (void)::fchdir(directory); // as the mask: it fails where it is gone
}

size_t tonno::countThreads() {
  std::error_code unreadable;
  std::filesystem::directory_iterator tasks("/proc/self/task", unreadable);
  return static_cast<size_t>(std::distance(begin(tasks), end(tasks)));
}

/// Returns the number of timers made by timer_create; 0 if the system does not
/// list them.
static size_t countTimers() {
  auto timers = readFile("/proc/self/timers");
  size_t count = 0;
  for (size_t at = 0; timers && (at = timers->find("ID:", at)) != timers->npos;
       ++at)
    ++count;
  return count;
}

static size_t countLibraries() {
  size_t count = 0;
  ::dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *counted) {
        *static_cast<size_t *>(counted) = info->dlpi_adds - info->dlpi_subs;
        return 1; // each entry says the same
      },
      &count);
  return count;
}

std::vector<ProcessInventory::OpenFile> ProcessInventory::openFiles() {
  std::vector<int> descriptors;
  std::error_code unreadable;
  for (const auto &entry :
       std::filesystem::directory_iterator("/proc/self/fd", unreadable))
    descriptors.push_back(std::stoi(entry.path().filename()));
  std::vector<OpenFile> files;
  for (int descriptor : descriptors) // without the folder's, closed by now
    if (struct stat about = {}; ::fstat(descriptor, &about) == 0)
      files.push_back({descriptor, about.st_dev, about.st_ino});
  return files;
}

std::vector<std::string> ProcessInventory::allVariables() {
  std::vector<std::string> variables;
  for (char **variable = environ; variable && *variable; ++variable)
    variables.emplace_back(*variable);
  return variables;
}

ProcessInventory::ProcessInventory()
    : threads(countThreads()), timers(countTimers()),
      libraries(countLibraries()), files(openFiles()),
      variables(allVariables()), nice(::getpriority(PRIO_PROCESS, 0)),
      policy(::sched_getscheduler(0)), limits(readLimits()) {
  ::sched_getaffinity(0, sizeof cores, &cores);
}

bool ProcessInventory::hasSameResources(const ProcessInventory &before) const {
  return files == before.files &&
         std::ranges::equal(limits, before.limits, areEqual);
}

bool ProcessInventory::isUnchangedSince(const ProcessInventory &before) const {
  return threads <= before.threads && timers == before.timers &&
         libraries == before.libraries && variables == before.variables &&
         CPU_EQUAL(&cores, &before.cores) && nice == before.nice &&
         policy == before.policy && !files.empty() && hasSameResources(before);
}

namespace {
/// State of the current thread: forks of other threads are not the candidate's.
struct State {
  Confinement::Phase phase = Confinement::Phase::outside;
  bool hasForked = false;
  pid_t process = 0;
};

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
  // Fails if the hard limit was lowered, which an inventory finds.
  (void)::setrlimit(RLIMIT_AS, &limitBefore);
  std::fesetenv(&arithmetic);
  uint64_t holds = addressSpace();
  if (heldBefore != 0 && holds > heldBefore)
    memory().held += holds - heldBefore;
}

/// Returns true if both environments round and flush alike; exceptions that
/// were raised do not count.
static bool hasSameFloatEnvironment(const std::fenv_t &one,
                                    const std::fenv_t &other) {
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
  if (!hasSameFloatEnvironment(now, arithmetic))
    return Failure{Status::fault, "changes the caller's rounding, subnormal or "
                                  "exception mode, which kernels must not"};
  if (!settings.hasUnchangedUmask())
    return Failure{Status::fault, "changes the umask, which kernels must not"};
  if (const char *limit = settings.findChangedLimit())
    return Failure{Status::fault, std::string("changes a limit, ") + limit +
                                      ", which kernels must not"};
  bool left = ownsAllChildren && endStrayProcesses() != 0;
  if (left || state.hasForked)
    return Failure{Status::fault, "started a process, which kernels must not"};
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

/// Returns true if the candidate used memory that it did not get, null and an
/// offset, or aborted for want of memory. A failed call alone is no reason: the
/// candidate may have handled it.
static bool isOutOfMemoryCrash(const siginfo_t &info) {
  if (errno != ENOMEM)
    return false;
  if (info.si_signo != SIGSEGV)
    return info.si_signo == SIGABRT;
  constexpr auto lowestMapping = uintptr_t{1} << 32;
  return info.si_code == SEGV_MAPERR &&
         reinterpret_cast<uintptr_t>(info.si_addr) < lowestMapping;
}

static void exitWithCrashStatus(int signal, siginfo_t *info, void *) {
  using Phase = Confinement::Phase;
  if (state.phase != Phase::outside && isOutOfMemoryCrash(*info))
    ::_exit(outOfMemoryExit);
  if (state.phase == Phase::loading)
    ::_exit(runnerLoaderCrashed);
  if (state.phase != Phase::outside && signal == SIGSEGV && info->si_code > 0) {
    switch (findBlockSide(info->si_addr)) {
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

void tonno::installCrashHandlers() {
  struct sigaction action = {};
  action.sa_sigaction = exitWithCrashStatus;
  action.sa_flags = SA_SIGINFO;
  for (size_t i = 0; i < crashes.size(); ++i)
    ::sigaction(crashes[i], &action, &actionsBefore[i]);
}
