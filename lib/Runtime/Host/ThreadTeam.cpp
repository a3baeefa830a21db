//===- Cores of the host, and threads on them -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ThreadTeam.h"
#include "tonno/Core/File.h"
#include "tonno/Runtime/Environment.h"
#include "tonno/Runtime/HostDevice.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <optional>
#include <sys/mman.h>
#include <system_error>
#include <thread>
#include <unistd.h>

using namespace tonno;

std::vector<int> tonno::allowedCores() {
  cpu_set_t set;
  std::vector<int> cores;
  if (::sched_getaffinity(0, sizeof set, &set) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set))
        cores.push_back(core);
  return cores;
}

std::vector<int> tonno::coresForThreads() {
  std::vector<int> left = allowedCores(), apart, sharing;
  std::ranges::reverse(left); // as pinToTimingCore chooses
  for (int core : left) {
    std::vector<int> siblings = getSiblingCores(core);
    bool isShared = std::ranges::any_of(apart, [&](int taken) {
      return std::ranges::find(siblings, taken) != siblings.end();
    });
    (isShared ? sharing : apart).push_back(core);
  }
  apart.insert(apart.end(), sharing.begin(), sharing.end());
  return apart;
}

Result<void> tonno::useCores(std::span<const int> cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int core : cores)
    CPU_SET(core, &set);
  if (::sched_setaffinity(0, sizeof set, &set) != 0)
    return Error{std::string("cannot choose the cores to run on: ") +
                 std::strerror(errno)};
  return {};
}

Result<void> tonno::pinToTimingCore(std::optional<unsigned> core) {
  if (core)
    return useCores(std::array{static_cast<int>(*core)});
  std::vector<int> cores = allowedCores();
  if (cores.size() < 2)
    return {};
  return useCores(std::span(cores).last(1));
}

Result<void> tonno::avoidTimingCores(std::vector<int> timing) {
  std::vector<int> cores = allowedCores();
  if (timing.empty() && cores.size() > 1)
    timing = {cores.back()};
  for (int core : timing)
    std::erase(cores, core);
  std::vector<int> apart = cores;
  for (int core : timing)
    for (int sibling : getSiblingCores(core))
      std::erase(apart, sibling);
  // A core that shares its units is better than waiting for the same one.
  if (!apart.empty())
    return useCores(apart);
  return cores.empty() ? Result<void>() : useCores(cores);
}

HostThreads HostThreads::onAllowedCores() {
  HostThreads threads;
  if (::sched_getaffinity(0, sizeof threads.cores, &threads.cores) == 0)
    threads.count = std::max(1, CPU_COUNT(&threads.cores));
  return threads;
}

HostThreads HostThreads::onAllowedCores(unsigned count) {
  HostThreads threads = onAllowedCores();
  threads.count = count;
  return threads;
}

/// Returns false if the system has no thread to spare.
template <typename Work>
static bool start(std::vector<std::jthread> &threads, Work &work) {
  try {
    threads.emplace_back(work);
    return true;
  } catch (const std::system_error &) {
    return false;
  }
}

void HostThreads::run(uint32_t workgroups,
                      const std::function<void(uint32_t)> &work) const {
  std::atomic<uint64_t> next = 0;
  auto share = [&] {
    for (uint64_t workgroup; (workgroup = next++) < workgroups;)
      work(static_cast<uint32_t>(workgroup));
  };
  auto shareElsewhere = [&] {
    // A thread begins on the cores of its parent, which may be a single one. If
    // it has to stay there, it takes longer.
    (void)::sched_setaffinity(0, sizeof cores, &cores);
    share();
  };
  std::vector<std::jthread> others;
  while (others.size() + 1 < std::min(count, workgroups) &&
         start(others, shareElsewhere)) {
  }
  share();
}

/// The argument of `omp_pause_resource_all` that ends a team.
static constexpr int hardPause = 2;

/// The runtime's default: longer than kernels compute on one thread.
static constexpr int workingMilliseconds = 200;

static void dropVariables() {
  std::vector<std::string> names;
  for (char **variable = environ; variable && *variable; ++variable) {
    std::string_view text = *variable;
    if (text.starts_with("OMP_") || text.starts_with("KMP_") ||
        text.starts_with("GOMP_"))
      names.emplace_back(text.substr(0, text.find('=')));
  }
  for (const std::string &name : names)
    ::unsetenv(name.c_str());
}

Result<ThreadTeam, Failure> ThreadTeam::load(const std::string &library) {
  dropVariables();
  auto refuse = [&](const std::string &why) {
    return Failure{Status::load_error,
                   "a kernel of several threads needs LLVM's OpenMP, on Debian "
                   "the package libomp-22-dev: " +
                       why};
  };
  void *runtime = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!runtime)
    return refuse(::dlerror());
  auto find = [&]<typename Function>(Function *&function, const char *name) {
    function = reinterpret_cast<Function *>(::dlsym(runtime, name));
    return function != nullptr;
  };
  ThreadTeam team;
  // GCC's entry is the only one that takes no source location.
  if (find(team.runParallel, "GOMP_parallel") &&
      find(team.threadNumber, "omp_get_thread_num") &&
      find(team.setBlockTime, "kmp_set_blocktime") &&
      find(team.pause, "omp_pause_resource_all"))
    return team;
  return refuse(library + " is not LLVM's, or older than OpenMP 5");
}

Result<ThreadTeam *, Failure> ThreadTeam::ofProcess() {
  static std::optional<ThreadTeam> team;
  if (!team)
    team = TONNO_TRY(load("libomp.so.5"));
  return &*team;
}

void ThreadTeam::end() {
  if (!std::exchange(isAlive, false))
    return;
  // The caller's thread gets the cores back that it had when the team began.
  cpu_set_t before;
  ::sched_getaffinity(0, sizeof before, &before);
  pause(hardPause);
  ::sched_setaffinity(0, sizeof before, &before);
}

/// Removes the runtime's shared memory, which outlives a process that crashes.
static void eraseRegistration() {
  std::string name = "/__KMP_REGISTERED_LIB_" + std::to_string(::getpid()) +
                     "_" + std::to_string(::getuid());
  ::shm_unlink(name.c_str());
}

GatheredTeam::GatheredTeam(ThreadTeam &team, size_t threads)
    : team(&team), members(threads) {
  ::sched_getaffinity(0, sizeof before, &before);
}

GatheredTeam::GatheredTeam(GatheredTeam &&other) noexcept
    : team(std::exchange(other.team, nullptr)), before(other.before),
      members(std::move(other.members)) {}

Result<GatheredTeam, Failure> GatheredTeam::gather(ThreadTeam &team,
                                                   std::span<const int> cores) {
  GatheredTeam gathered(team, cores.size());
  // The runtime looks, when it starts, at how many cores there are.
  if (auto wide = useCores(cores); !wide)
    return Failure{Status::lost, wide.error().message};
  struct Joining {
    const ThreadTeam &team;
    std::span<const int> cores;
    std::span<pid_t> members;
  } joining = {team, cores, gathered.members};
  auto join = [](void *self) { // what each thread of the team does first
    auto &[team, cores, members] = *static_cast<Joining *>(self);
    auto number = static_cast<size_t>(team.threadNumber());
    if (number < cores.size() && useCores(cores.subspan(number, 1)))
      members[number] = ::gettid();
  };
  team.isAlive = true;
  team.setBlockTime(workingMilliseconds);
  team.runParallel(join, &joining, static_cast<unsigned>(cores.size()), 0);
  eraseRegistration();
  auto there = std::ranges::count_if(gathered.members,
                                     [](pid_t member) { return member != 0; });
  if (static_cast<size_t>(there) != cores.size())
    return Failure{Status::lost, "only " + std::to_string(there) + " of " +
                                     std::to_string(cores.size()) +
                                     " threads could be started and pinned"};
  return gathered;
}

GatheredTeam::~GatheredTeam() {
  if (!team)
    return;
  // Spinning threads would disturb the next measurement. A thread reads the
  // limit when it begins to spin, so a parallel region sets it; a soft pause
  // does not end threads that spin already.
  team->setBlockTime(0);
  team->runParallel([](void *) {}, nullptr,
                    static_cast<unsigned>(members.size()), 0);
  ::sched_setaffinity(0, sizeof before, &before);
}

double GatheredTeam::waitedSeconds() const {
  uint64_t nanoseconds = 0;
  for (pid_t member : std::span(members).subspan(1)) {
    // On a processor, waiting for one, time slices.
    auto text =
        readFile("/proc/self/task/" + std::to_string(member) + "/schedstat");
    if (!text)
      continue; // the system does not tell
    char *next = nullptr;
    std::strtoull(text->c_str(), &next, 10);
    nanoseconds += std::strtoull(next, nullptr, 10);
  }
  return static_cast<double>(nanoseconds) * 1e-9;
}
