//===- BusiestProcesses.cpp - Who uses the processors ---------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BusiestProcesses.h"
#include "tonno/Core/File.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <sstream>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tonno;
namespace fs = std::filesystem;

/// Between two looks, so that a busy process has used ten ticks.
static constexpr std::chrono::milliseconds lookPause{100};
/// Of a core, to be named.
static constexpr double leastShare = 0.2;
static constexpr size_t mostNamed = 3;

namespace {
struct Used {
  std::string name;
  uint64_t ticks = 0;
};
} // namespace

static std::optional<Used> readUsed(const fs::path &process) {
  auto text = readFile((process / "stat").string());
  // "12 (make) R 1 ...": a name may have parentheses.
  size_t open = text ? text->find('(') : std::string::npos;
  size_t close = text ? text->rfind(')') : std::string::npos;
  if (open == std::string::npos || close == std::string::npos || close < open)
    return std::nullopt;
  std::istringstream fields(text->substr(close + 1));
  std::string skipped;
  for (int i = 3; i < 14; ++i)
    fields >> skipped;
  uint64_t user = 0, system = 0;
  if (!(fields >> user >> system))
    return std::nullopt;
  return Used{text->substr(open + 1, close - open - 1), user + system};
}

static std::map<pid_t, Used> readAll(const fs::path &proc) {
  std::map<pid_t, Used> all;
  std::error_code ignored;
  for (const fs::directory_entry &entry :
       fs::directory_iterator(proc, ignored)) {
    auto pid = static_cast<pid_t>(
        std::strtol(entry.path().filename().c_str(), nullptr, 10));
    if (pid <= 0 || pid == ::getpid())
      continue;
    if (auto used = readUsed(entry.path()))
      all.emplace(pid, std::move(*used));
  }
  return all;
}

std::string tonno::busiestProcesses(const fs::path &proc) {
  auto start = std::chrono::steady_clock::now();
  std::map<pid_t, Used> before = readAll(proc);
  std::this_thread::sleep_for(lookPause);
  std::map<pid_t, Used> after = readAll(proc);
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  double ticks = elapsed.count() * static_cast<double>(::sysconf(_SC_CLK_TCK));

  std::vector<std::pair<double, std::string>> busiest;
  for (const auto &[pid, used] : after) {
    auto known = before.find(pid);
    // Another may have its number since.
    uint64_t since =
        known == before.end() ? 0 : std::min(known->second.ticks, used.ticks);
    double share = static_cast<double>(used.ticks - since) / ticks;
    if (share >= leastShare)
      busiest.emplace_back(share,
                           used.name + " (pid " + std::to_string(pid) + ") " +
                               std::to_string(std::lround(100 * share)) + " %");
  }
  std::ranges::sort(busiest, std::ranges::greater());
  std::string text;
  for (size_t i = 0; i < std::min(busiest.size(), mostNamed); ++i)
    text += (i ? ", " : "") + busiest[i].second;
  return text.empty() ? text : text + " of a core";
}
