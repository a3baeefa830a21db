//===- The processes of this machine --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Process/ProcessTable.h"
#include "tonno/Core/File.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <sstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tonno;
namespace fs = std::filesystem;

std::optional<ProcessStat> tonno::parseProcessStat(const std::string &text) {
  // "12 (make) S 1 ...": a name may have parentheses and blanks.
  size_t open = text.find('('), close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open)
    return std::nullopt;
  std::istringstream fields(text.substr(close + 1));
  std::string state, skipped;
  ProcessStat stat{text.substr(open + 1, close - open - 1)};
  uint64_t user = 0, system = 0;
  fields >> state >> stat.parent;
  for (int field = 5; field < 14; ++field) // as numbered in proc(5)
    fields >> skipped;
  if (!(fields >> user >> system))
    return std::nullopt;
  stat.ticks = user + system;
  return stat;
}

std::optional<ProcessStat> tonno::readProcessStat(pid_t process,
                                                  const fs::path &proc) {
  auto text = readFile((proc / std::to_string(process) / "stat").string());
  return text ? parseProcessStat(*text) : std::nullopt;
}

std::map<pid_t, ProcessStat> tonno::readProcessTable(const fs::path &proc) {
  std::map<pid_t, ProcessStat> table;
  std::error_code unreadable;
  for (const auto &entry : fs::directory_iterator(proc, unreadable)) {
    std::string name = entry.path().filename();
    pid_t process = 0;
    auto [end, error] =
        std::from_chars(name.data(), name.data() + name.size(), process);
    if (error != std::errc() || end != name.data() + name.size())
      continue;
    if (auto stat = readProcessStat(process, proc))
      table.emplace(process, std::move(*stat));
  }
  return table;
}

void tonno::adoptStrayProcesses() {
  // Fails only on kernels older than any with memfd_create.
  (void)::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static void killChildren() {
  for (const auto &[process, stat] : readProcessTable())
    if (stat.parent == ::getpid())
      ::kill(process, SIGKILL);
}

size_t tonno::endStrayProcesses() {
  size_t count = 0;
  for (;;) {
    pid_t ended = ::waitpid(-1, nullptr, WNOHANG | __WALL);
    if (ended == 0) {
      killChildren();
      ended = ::waitpid(-1, nullptr, __WALL);
    }
    if (ended > 0)
      ++count;
    else if (errno != EINTR)
      return count;
  }
}
