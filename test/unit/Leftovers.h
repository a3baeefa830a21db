//===- Processes and files of candidates, for tests -----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TEST_UNIT_LEFTOVERS_H
#define TEST_UNIT_LEFTOVERS_H

#include "Eventually.h"
#include "TemporaryDirectory.h"

#include "tonno/Core/File.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <unistd.h>

namespace tonno {

/// Marks all processes started here in their environment, and gives them a
/// folder for temporary files. Looks for leftovers at the end.
class Leftovers {
public:
  Leftovers() : sharedBefore(namesIn("/dev/shm")) {
    static int count = 0;
    std::string value =
        std::to_string(::getpid()) + "-" + std::to_string(++count);
    mark = "TONNO_TEST_MARK=" + value;
    ::setenv("TONNO_TEST_MARK", value.c_str(), 1);
    ::setenv("TMPDIR", directory.path().c_str(), 1);
  }
  Leftovers(const Leftovers &) = delete;
  Leftovers &operator=(const Leftovers &) = delete;
  ~Leftovers() {
    ::unsetenv("TONNO_TEST_MARK");
    ::unsetenv("TMPDIR");
    EXPECT_EQ(processesSoon(0), 0u) << "are left";
    EXPECT_TRUE(directory.files().empty())
        << directory.files().front() << " is left";
    // Other processes of the machine come and go there, too.
    EXPECT_TRUE(eventually([this] {
      return std::ranges::includes(sharedBefore, namesIn("/dev/shm"));
    }));
  }

  /// Waits until no more than this many of those started here still run.
  /// Returns how many do.
  size_t processesSoon(size_t expected) const {
    eventually([&] { return processes().size() <= expected; });
    return processes().size();
  }

  /// Returns true if one of the processes holds a device lock.
  bool holdDevice() const {
    std::set<pid_t> ours = processes();
    for (const auto &entry : std::filesystem::directory_iterator("/tmp")) {
      std::string name = entry.path().filename();
      if (!name.starts_with("tonno-") || entry.path().extension() != ".lock")
        continue;
      int file = ::open(entry.path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
      struct flock lock = {};
      lock.l_type = F_WRLCK;
      bool held = file >= 0 && ::fcntl(file, F_GETLK, &lock) == 0 &&
                  lock.l_type != F_UNLCK && ours.count(lock.l_pid);
      ::close(file);
      if (held)
        return true;
    }
    return false;
  }

  /// Returns true if the lock files of devices are empty.
  static bool areLocksEmpty() {
    for (const auto &entry : std::filesystem::directory_iterator("/tmp"))
      if (entry.path().filename().string().starts_with("tonno-") &&
          entry.path().extension() == ".lock" && entry.file_size() != 0)
        return false;
    return true;
  }

  /// Returns the processes started here that still run.
  std::set<pid_t> processes() const {
    std::set<pid_t> found;
    for (const auto &entry : std::filesystem::directory_iterator("/proc")) {
      std::string name = entry.path().filename();
      pid_t process = 0;
      std::from_chars(name.data(), name.data() + name.size(), process);
      if (process == 0 || process == ::getpid())
        continue;
      auto environment = readFile(entry.path() / "environ");
      if (environment && environment->find(mark + '\0') != std::string::npos)
        found.insert(process);
    }
    return found;
  }

private:
  static std::set<std::string> namesIn(const char *folder) {
    std::set<std::string> names;
    std::error_code unreadable;
    for (const auto &entry :
         std::filesystem::directory_iterator(folder, unreadable))
      names.insert(entry.path().filename());
    return names;
  }

  TemporaryDirectory directory;
  std::set<std::string> sharedBefore;
  std::string mark;
};

} // namespace tonno

#endif // TEST_UNIT_LEFTOVERS_H
