//===- Cores of the host, and threads on them -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_HOST_THREADTEAM_H
#define TONNO_LIB_RUNTIME_HOST_THREADTEAM_H

#include "tonno/Core/Result.h"
#include "tonno/Core/Status.h"

#include <sched.h>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tonno {

/// The cores this process may use, in order.
std::vector<int> allowedCores();

/// The same in the order in which threads get them: the one that times, then
/// those that share no units with one before them, then the others.
std::vector<int> coresForThreads();

/// Keeps the calling thread, and those it starts, on these.
Result<void> useCores(std::span<const int> cores);

/// OpenMP's threads in this process. For the thread that launches.
class ThreadTeam {
public:
  /// Finds OpenMP's runtime, which stays loaded, and drops its variables:
  /// launch plans give the number of threads. Errors say what to install.
  static Result<ThreadTeam *, Failure> ofProcess();
  /// The same of a library under this name.
  static Result<ThreadTeam, Failure> load(const std::string &library);

  /// Ends its threads, which otherwise wait for the next launch.
  void end();

private:
  friend class GatheredTeam;
  ThreadTeam() = default;

  void (*runParallel)(void (*)(void *), void *, unsigned, unsigned) = nullptr;
  int (*threadNumber)() = nullptr;
  void (*setBlockTime)(int) = nullptr; // in milliseconds
  int (*pause)(int) = nullptr;
  bool isAlive = false;
};

/// The team at work, each thread on a core of its own, the caller's on the
/// first. At the end they sleep, and the caller may run where it could before.
class GatheredTeam {
public:
  /// A Failure `lost` where the system has too few threads to spare.
  static Result<GatheredTeam, Failure> gather(ThreadTeam &team,
                                              std::span<const int> cores);
  GatheredTeam(GatheredTeam &&other) noexcept;
  GatheredTeam &operator=(GatheredTeam &&) = delete;
  ~GatheredTeam();

  /// Seconds so far that its threads but the caller's waited for their cores.
  double waitedSeconds() const;

private:
  GatheredTeam(ThreadTeam &team, size_t threads);

  ThreadTeam *team;
  cpu_set_t before = {}; ///< of the caller's thread
  std::vector<pid_t> members;
};

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_HOST_THREADTEAM_H
