//===- What a process holds -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_HOST_PROCESSINVENTORY_H
#define TONNO_LIB_RUNTIME_HOST_PROCESSINVENTORY_H

#include <array>
#include <cstddef>
#include <sched.h>
#include <string>
#include <sys/resource.h>
#include <sys/types.h>
#include <vector>

namespace tonno {

/// What this process holds and is held to, where nothing but its end takes it
/// back from code that has changed it. One is made before such code runs and
/// one after it. What can be set back is a ProcessState's.
class ProcessInventory {
public:
  /// As it is now.
  ProcessInventory();

  /// Whether nothing has come since, gone or changed; but threads may have
  /// ended. Not so where the system does not tell.
  bool isStill(const ProcessInventory &before) const;
  /// Returns true if the same files are open, and may be, and as much of all
  /// that is limited.
  bool hasSameResources(const ProcessInventory &before) const;

private:
  /// What is open under a number.
  struct OpenFile {
    int descriptor;
    dev_t device;
    ino_t file;
    bool operator==(const OpenFile &) const = default;
  };
  static std::vector<OpenFile> openFiles();
  static std::vector<std::string> allVariables();

  size_t threads; ///< may run code that is no longer there
  size_t timers;  ///< of timer_create: one ends the process some day
  /// That the loader has: the next one may be bound to what was not unloaded.
  size_t libraries;
  /// Too many leave none to the next, and those of this process must be what
  /// they were. Empty if that is not told.
  std::vector<OpenFile> files;
  std::vector<std::string> variables; ///< of the environment
  cpu_set_t cores = {};               ///< that this thread may use
  int nice, policy;                   ///< of this thread
  std::array<rlimit, RLIM_NLIMITS> limits = {};
};

/// Of this process.
size_t countThreads();

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_HOST_PROCESSINVENTORY_H
