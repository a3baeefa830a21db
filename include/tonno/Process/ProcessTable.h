//===- The processes of this machine --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_PROCESS_PROCESSTABLE_H
#define TONNO_PROCESS_PROCESSTABLE_H

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <sys/types.h>

namespace tonno {

/// Fields of /proc/<pid>/stat.
struct ProcessStat {
  std::string name; ///< of the program, at most 15 bytes
  pid_t parent = 0;
  uint64_t ticks = 0; ///< of processor time, in the user's and kernel's mode
};

/// Parses the contents of a stat file. Returns none if they are malformed.
std::optional<ProcessStat> parseProcessStat(const std::string &text);

/// Reads the stat file of one process. Returns none if the process has ended.
std::optional<ProcessStat>
readProcessStat(pid_t process, const std::filesystem::path &proc = "/proc");

/// Reads all processes that can be seen, by their number.
std::map<pid_t, ProcessStat>
readProcessTable(const std::filesystem::path &proc = "/proc");

/// Makes this process the parent of its orphaned descendants from now on, so
/// that none escapes.
void adoptStrayProcesses();

/// Kills all descendants of this process by SIGKILL. Returns their number.
/// Takes one system call if there are none.
size_t endStrayProcesses();

} // namespace tonno

#endif // TONNO_PROCESS_PROCESSTABLE_H
