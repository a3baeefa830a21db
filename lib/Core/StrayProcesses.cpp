//===- StrayProcesses.cpp - Processes that candidates leave ---------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Core/StrayProcesses.h"
#include "tonno/Core/File.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tonno;
namespace fs = std::filesystem;

void tonno::adoptStrayProcesses() {
  // It fails only on kernels older than any with memfd_create.
  (void)::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/// "12 (a name, with (any) characters) S 1 ...": the number behind the state.
static pid_t parentOf(const std::string &stat) {
  size_t name = stat.rfind(')');
  if (name == std::string::npos || name + 4 > stat.size())
    return 0;
  return static_cast<pid_t>(std::strtol(&stat[name + 4], nullptr, 10));
}

static void killChildren() {
  std::error_code unreadable;
  for (const auto &entry : fs::directory_iterator("/proc", unreadable)) {
    std::string name = entry.path().filename();
    pid_t process = 0;
    auto parsed =
        std::from_chars(name.data(), name.data() + name.size(), process);
    if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size())
      continue;
    auto stat = readFile(entry.path() / "stat");
    if (stat && parentOf(*stat) == ::getpid())
      ::kill(process, SIGKILL);
  }
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
