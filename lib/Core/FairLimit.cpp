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
#include <string>
#include <system_error>

using namespace tonno;
namespace fs = std::filesystem;

using Waits = std::map<pid_t, uint64_t>;

/// The number behind blanks, which is then no longer there; false if there is
/// none.
template <typename T> static bool takeNumber(std::string_view &text, T &value) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return error == std::errc();
}

/// How long each thread of the process, and of those it has started, has waited
/// for a processor. What ends meanwhile is left out.
static void collectWaits(pid_t process, Waits &waits) {
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
    uint64_t ran = 0, waited = 0;
    if (takeNumber(digits, thread) && takeNumber(numbers, ran) &&
        takeNumber(numbers, waited))
      waits[thread] = waited;
    if (auto children = readFile(folder / "children")) {
      std::string_view left = *children;
      for (pid_t child = 0; takeNumber(left, child);)
        collectWaits(child, waits);
    }
  }
}

static Deadline later(Deadline begin, double seconds) {
  return begin + std::chrono::duration_cast<Clock::duration>(
                     std::chrono::duration<double>(seconds));
}

std::string tonno::formatLimit(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", seconds);
  return text;
}

FairLimit::FairLimit(pid_t process, double seconds)
    : process(process), seconds(seconds), begin(Clock::now()),
      end(later(begin, seconds)) {
  collectWaits(process, before);
}

bool FairLimit::hasPassed() {
  if (Clock::now() < end)
    return false;
  Waits now;
  collectWaits(process, now);
  uint64_t longest = 0;
  for (auto [thread, waited] : now) {
    auto known = before.find(thread);
    uint64_t sooner = known == before.end() ? 0 : known->second;
    longest = std::max(longest, waited - std::min(sooner, waited));
  }
  double stretched = std::min(seconds + 1e-9 * static_cast<double>(longest),
                              mostStretch * seconds);
  end = later(begin, stretched);
  return Clock::now() >= end;
}
