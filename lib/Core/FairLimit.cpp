//===- Limits that others can't use up ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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

/// Adds the times of each thread of the process and of its descendants. Leaves
/// out what ends meanwhile.
static void collect(pid_t process, ScheduleSource::Threads &threads) {
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
    ScheduleSource::Times found;
    if (takeNumber(digits, thread) && takeNumber(numbers, found.ran) &&
        takeNumber(numbers, found.waited))
      threads[thread] = found;
    if (auto children = readFile(folder / "children")) {
      std::string_view left = *children;
      for (pid_t child = 0; takeNumber(left, child);)
        collect(child, threads);
    }
  }
}

Deadline ScheduleSource::now() const { return Clock::now(); }

ScheduleSource::Threads ScheduleSource::threads(pid_t process) const {
  Threads found;
  collect(process, found);
  return found;
}

cpu_set_t ScheduleSource::cores(pid_t thread) const {
  cpu_set_t allowed;
  if (::sched_getaffinity(thread, sizeof allowed, &allowed) != 0)
    CPU_ZERO(&allowed);
  return allowed;
}

const ScheduleSource &ScheduleSource::system() {
  static const ScheduleSource source;
  return source;
}

static Deadline later(Deadline begin, double seconds) {
  return begin + std::chrono::duration_cast<Clock::duration>(
                     std::chrono::duration<double>(seconds));
}

FairLimit::FairLimit(pid_t process, double seconds,
                     const ScheduleSource &source)
    : source(&source), process(process), seconds(seconds), begin(source.now()),
      end(later(begin, seconds)), before(source.threads(process)) {}

static uint64_t grown(uint64_t now, uint64_t before) {
  return now - std::min(before, now);
}

/// What others took of the time that has passed, for each thread that had work.
/// In it these would have run as long as they ran and waited, if there are
/// cores for all of them; else each of their cores would have been theirs.
double FairLimit::secondsTaken(double elapsed) const {
  double ran = 0, waited = 0;
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (auto [thread, times] : source->threads(process)) {
    auto known = before.find(thread);
    ScheduleSource::Times sooner =
        known == before.end() ? ScheduleSource::Times() : known->second;
    uint64_t threadRan = grown(times.ran, sooner.ran);
    uint64_t threadWaited = grown(times.waited, sooner.waited);
    ran += 1e-9 * static_cast<double>(threadRan);
    waited += 1e-9 * static_cast<double>(threadWaited);
    if (threadRan + threadWaited != 0) {
      cpu_set_t allowed = source->cores(thread);
      CPU_OR(&cores, &cores, &allowed);
    }
  }
  int coreCount = std::max(1, CPU_COUNT(&cores));
  double wanted = std::min(ran + waited, coreCount * elapsed);
  double threads = std::max(1.0, wanted / elapsed);
  return std::max(0.0, wanted - ran) / threads;
}

bool FairLimit::hasPassed() {
  Deadline now = source->now();
  if (now < end)
    return false;
  double elapsed = std::chrono::duration<double>(now - begin).count();
  double stretched =
      std::min(seconds + secondsTaken(elapsed), mostStretch * seconds);
  end = later(begin, stretched);
  return source->now() >= end;
}
