//===- FairLimit.cpp - Limits that others can't use up --------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Core/FairLimit.h"
#include "tonno/Core/File.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <sched.h>
#include <string>
#include <system_error>

using namespace tonno;
namespace fs = std::filesystem;

/// The number behind blanks, which is then no longer there; false if there is
/// none.
template <typename T> static bool takeNumber(std::string_view &text, T &value) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return error == std::errc();
}

/// Of each thread of the process, and of those it has started. What ends
/// meanwhile is left out.
void FairLimit::collect(pid_t process, Schedules &schedules) {
  std::error_code gone;
  fs::directory_iterator task("/proc/" + std::to_string(process) + "/task",
                              gone);
  for (; !gone && task != fs::directory_iterator(); task.increment(gone)) {
    const fs::path &folder = task->path();
    pid_t thread = 0;
    std::string name = folder.filename();
    std::string_view digits = name;
    // Nanoseconds on a processor, nanoseconds waiting for one, time slices.
    auto schedule = readFile(folder / "schedstat");
    std::string_view numbers = schedule ? std::string_view(*schedule) : "";
    Schedule found;
    if (takeNumber(digits, thread) && takeNumber(numbers, found.ran) &&
        takeNumber(numbers, found.waited))
      schedules[thread] = found;
    if (auto children = readFile(folder / "children")) {
      std::string_view left = *children;
      for (pid_t child = 0; takeNumber(left, child);)
        collect(child, schedules);
    }
  }
}

static Deadline later(Deadline begin, double seconds) {
  return begin + std::chrono::duration_cast<Clock::duration>(
                     std::chrono::duration<double>(seconds));
}

FairLimit::FairLimit(pid_t process, double seconds)
    : process(process), seconds(seconds), begin(Clock::now()),
      end(later(begin, seconds)) {
  collect(process, before);
}

static uint64_t grown(uint64_t now, uint64_t before) {
  return now - std::min(before, now);
}

/// What others took of the time that has passed, for each thread that had work.
/// In it these would have run as long as they ran and waited, if there are
/// cores for all of them; else each of their cores would have been theirs.
double FairLimit::secondsTaken(double elapsed) const {
  Schedules now;
  collect(process, now);
  double ran = 0, waited = 0;
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (auto [thread, schedule] : now) {
    auto known = before.find(thread);
    Schedule sooner = known == before.end() ? Schedule() : known->second;
    uint64_t threadRan = grown(schedule.ran, sooner.ran);
    uint64_t threadWaited = grown(schedule.waited, sooner.waited);
    ran += 1e-9 * static_cast<double>(threadRan);
    waited += 1e-9 * static_cast<double>(threadWaited);
    cpu_set_t allowed;
    if (threadRan + threadWaited != 0 &&
        ::sched_getaffinity(thread, sizeof allowed, &allowed) == 0)
      CPU_OR(&cores, &cores, &allowed);
  }
  int coreCount = std::max(1, CPU_COUNT(&cores));
  double wanted = std::min(ran + waited, coreCount * elapsed);
  double threads = std::max(1.0, wanted / elapsed);
  return std::max(0.0, wanted - ran) / threads;
}

bool FairLimit::hasPassed() {
  Deadline now = Clock::now();
  if (now < end)
    return false;
  double elapsed = std::chrono::duration<double>(now - begin).count();
  double stretched =
      std::min(seconds + secondsTaken(elapsed), mostStretch * seconds);
  end = later(begin, stretched);
  return Clock::now() >= end;
}
