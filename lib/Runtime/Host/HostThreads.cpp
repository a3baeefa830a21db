//===- Threads that share a launch ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/HostThreads.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

using namespace tonno;

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

/// False where the system has no thread to spare.
template <typename Work>
static bool start(std::vector<std::jthread> &threads, const Work &work) {
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
