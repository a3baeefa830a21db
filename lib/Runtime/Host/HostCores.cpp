//===- The cores that a process may use -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostCores.h"
#include "tonno/Runtime/Environment.h"
#include "tonno/Runtime/HostDevice.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sched.h>

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
    std::vector<int> siblings = siblingsOf(core);
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

Result<void> tonno::pinToTimingCore() {
  std::vector<int> cores = allowedCores();
  if (cores.size() < 2)
    return {};
  return useCores(std::span(cores).last(1));
}

Result<void> tonno::avoidTimingCore() {
  std::vector<int> cores = allowedCores();
  if (cores.size() < 2)
    return {};
  std::vector<int> apart(cores.begin(), cores.end() - 1);
  for (int sibling : siblingsOf(cores.back()))
    std::erase(apart, sibling);
  // A core that shares its units is better than waiting for the same one.
  return useCores(apart.empty() ? std::span(cores).first(cores.size() - 1)
                                : std::span<const int>(apart));
}
