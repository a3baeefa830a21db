//===- What a process holds -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProcessInventory.h"
#include "tonno/Core/File.h"

#include <algorithm>
#include <cstdlib>
#include <dirent.h>
#include <filesystem>
#include <iterator>
#include <link.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

using namespace tonno;

size_t tonno::countThreads() {
  std::error_code unreadable;
  std::filesystem::directory_iterator tasks("/proc/self/task", unreadable);
  return static_cast<size_t>(std::distance(begin(tasks), end(tasks)));
}

/// Those made by timer_create; 0 where the system does not tell.
static size_t countTimers() {
  auto timers = readFile("/proc/self/timers");
  size_t count = 0;
  for (size_t at = 0; timers && (at = timers->find("ID:", at)) != timers->npos;
       ++at)
    ++count;
  return count;
}

static size_t countLibraries() {
  size_t count = 0;
  ::dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *counted) {
        *static_cast<size_t *>(counted) = info->dlpi_adds - info->dlpi_subs;
        return 1; // each entry says the same
      },
      &count);
  return count;
}

std::vector<ProcessInventory::OpenFile> ProcessInventory::openFiles() {
  std::vector<OpenFile> files;
  std::unique_ptr<DIR, int (*)(DIR *)> folder(::opendir("/proc/self/fd"),
                                              ::closedir);
  while (const dirent *entry = folder ? ::readdir(folder.get()) : nullptr) {
    if (entry->d_name[0] == '.')
      continue;
    auto descriptor = static_cast<int>(std::strtol(entry->d_name, nullptr, 10));
    struct stat about = {};
    if (descriptor != ::dirfd(folder.get()) && ::fstat(descriptor, &about) == 0)
      files.push_back({descriptor, about.st_dev, about.st_ino});
  }
  return files;
}

std::vector<std::string> ProcessInventory::allVariables() {
  std::vector<std::string> variables;
  for (char **variable = environ; variable && *variable; ++variable)
    variables.emplace_back(*variable);
  return variables;
}

ProcessInventory::ProcessInventory()
    : threads(countThreads()), timers(countTimers()),
      libraries(countLibraries()), files(openFiles()),
      variables(allVariables()), nice(::getpriority(PRIO_PROCESS, 0)),
      policy(::sched_getscheduler(0)) {
  ::sched_getaffinity(0, sizeof cores, &cores);
  for (size_t i = 0; i < limits.size(); ++i)
    ::getrlimit(static_cast<__rlimit_resource>(i), &limits[i]);
}

bool ProcessInventory::hasSameResources(const ProcessInventory &before) const {
  auto areEqual = [](const rlimit &left, const rlimit &right) {
    return left.rlim_cur == right.rlim_cur && left.rlim_max == right.rlim_max;
  };
  return files == before.files &&
         std::ranges::equal(limits, before.limits, areEqual);
}

bool ProcessInventory::isStill(const ProcessInventory &before) const {
  return threads <= before.threads && timers == before.timers &&
         libraries == before.libraries && variables == before.variables &&
         CPU_EQUAL(&cores, &before.cores) && nice == before.nice &&
         policy == before.policy && !files.empty() && hasSameResources(before);
}
