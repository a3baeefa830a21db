//===- Number of concurrent workers ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Jobs.h"
#include "tonno/Runtime/Environment.h"

#include <algorithm>
#include <cmath>
#include <thread>

using namespace tonno;

/// Worker processes per core. Workers take turns, so that one that waits leaves
/// its core to another.
static constexpr unsigned jobsEachCore = 2;

/// Each holds pipes of this process, which may have about a thousand.
static constexpr unsigned mostElsewhere = 256;

/// Returns the memory of this machine that a worker is expected to need: with
/// the candidate that it compiles, or of a command such as ssh.
static uint64_t bytesEach(const JobLimits &limits) {
  return uint64_t{limits.isElsewhere ? 64u : 256u} << 20;
}

JobLimits JobLimits::ofThisMachine() {
  JobLimits limits;
  limits.cores = std::max(1u, std::thread::hardware_concurrency());
  if (auto quota = readCgroupLimits().cores; quota && *quota < limits.cores)
    limits.cores = std::max(1u, static_cast<unsigned>(std::ceil(*quota)));
  limits.memoryBytes = availableMemory();
  return limits;
}

/// Returns the number of workers that memory suffices for.
static uint64_t countThatFit(const JobLimits &limits) {
  if (limits.memoryBytes == 0)
    return UINT64_MAX;
  return std::max<uint64_t>(1, limits.memoryBytes / bytesEach(limits));
}

unsigned JobLimits::useful() const {
  return static_cast<unsigned>(std::min<uint64_t>(cores, countThatFit(*this)));
}

BoundedJobs tonno::boundJobs(unsigned asked, const JobLimits &limits) {
  auto lower = [&](uint64_t jobs, const std::string &why) {
    return BoundedJobs{static_cast<unsigned>(jobs),
                       "'--jobs=" + std::to_string(asked) + "' is lowered to " +
                           std::to_string(jobs) + ", " + why};
  };
  uint64_t mostByCores = limits.isElsewhere
                             ? mostElsewhere
                             : uint64_t{limits.cores} * jobsEachCore;
  uint64_t mostByMemory = countThatFit(limits);
  if (asked <= std::min(mostByCores, mostByMemory))
    return {asked, ""};
  if (mostByMemory < mostByCores)
    return lower(mostByMemory,
                 "one for each " + std::to_string(bytesEach(limits) >> 20) +
                     " of the " + std::to_string(limits.memoryBytes >> 20) +
                     " MiB of memory that are available");
  if (limits.isElsewhere)
    return lower(mostByCores, "the most that one command starts");
  return lower(mostByCores, "two for each of the " +
                                std::to_string(limits.cores) + " core" +
                                (limits.cores == 1 ? "" : "s") +
                                " that this process may use");
}
