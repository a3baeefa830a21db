//===- Who uses the processors --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BusiestProcesses.h"
#include "tonno/Core/ProcessTable.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
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

/// Removes this process and its descendants, such as workers that compile.
static void removeOwn(std::map<pid_t, ProcessStat> &table) {
  auto isOwn = [&](pid_t process) {
    // A process that ended since may leave a cycle of reused numbers.
    for (size_t depth = 0; process > 1 && depth <= table.size(); ++depth) {
      if (process == ::getpid())
        return true;
      auto entry = table.find(process);
      process = entry == table.end() ? 0 : entry->second.parent;
    }
    return false;
  };
  std::vector<pid_t> own;
  for (const auto &[process, stat] : table)
    if (isOwn(process))
      own.push_back(process);
  for (pid_t process : own)
    table.erase(process);
}

std::string tonno::busiestProcesses(const fs::path &proc) {
  auto start = std::chrono::steady_clock::now();
  std::map<pid_t, ProcessStat> before = readProcessTable(proc);
  std::this_thread::sleep_for(lookPause);
  std::map<pid_t, ProcessStat> after = readProcessTable(proc);
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  removeOwn(after);
  double ticks = elapsed.count() * static_cast<double>(::sysconf(_SC_CLK_TCK));

  std::vector<std::pair<double, std::string>> busiest;
  for (const auto &[pid, stat] : after) {
    auto known = before.find(pid);
    // Another may have its number since.
    uint64_t since =
        known == before.end() ? 0 : std::min(known->second.ticks, stat.ticks);
    double share = static_cast<double>(stat.ticks - since) / ticks;
    if (share >= leastShare)
      busiest.emplace_back(share,
                           stat.name + " (pid " + std::to_string(pid) + ") " +
                               std::to_string(std::lround(100 * share)) + " %");
  }
  std::ranges::sort(busiest, std::ranges::greater());
  std::string text;
  for (size_t i = 0; i < std::min(busiest.size(), mostNamed); ++i)
    text += (i ? ", " : "") + busiest[i].second;
  return text.empty() ? text : text + " of a core";
}
