//===- Exclusive lock of a device -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_PROCESS_DEVICELOCK_H
#define TONNO_PROCESS_DEVICELOCK_H

#include "tonno/Core/Result.h"
#include "tonno/Process/DeviceIdentity.h"

#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>

namespace tonno {

/// Why a device was not locked.
struct DeviceLockFailure {
  std::string message;
  /// The process that has it, if the wait has ended before it was free.
  std::optional<std::string> holder = {};
  /// Set if the wait for another thread of this process has ended: that thread
  /// may be waiting for the caller.
  bool isOfThread = false;
};

/// Returns true if this process has started the holder.
bool isStartedByThis(const std::string &holder);

/// The way to wait for a device's lock.
struct DeviceLockWait {
  /// Reports the holder, at once and then about every `signSeconds`. May throw,
  /// which ends the wait.
  std::function<void(const std::string &holder)> waiting;
  double signSeconds = 1;
  /// Limits the wait; 0 only takes a lock that is free.
  double mostSeconds = std::numeric_limits<double>::infinity();
  /// Limits the wait for another thread of this process: what that thread times
  /// may be waiting for the caller.
  double threadSeconds = std::numeric_limits<double>::infinity();
  /// Ends the wait once it returns true; called as often as `waiting`.
  std::function<bool()> isStopped = [] { return false; };
};

/// Exclusive use of a device by one thread of one process, for timing. Threads
/// of a process take turns; a thread that has the lock can take it again.
/// Processes take a POSIX lock on a file that every user may lock; the lock
/// ends with the process, and forked children do not inherit it. Containers
/// with separate folders do not exclude each other.
///
/// A core of the host is a byte of the host's file: the host and its cores
/// exclude each other, two cores do not. A process has one of them at a time.
///
/// Every user may write to the folder, so the file is not trusted: symbolic
/// links, hard links and non-regular files are refused.
class DeviceLock {
public:
  static Result<DeviceLock, DeviceLockFailure>
  acquire(const DeviceIdentity &device, const DeviceLockWait &wait,
          const std::filesystem::path &folder = defaultFolder());

  /// Returns /tmp, independent of TMPDIR, since all users must use the same
  /// folder.
  static std::filesystem::path defaultFolder();

  DeviceLock(DeviceLock &&other) noexcept
      : file(std::exchange(other.file, {})), process(other.process) {}
  DeviceLock &operator=(DeviceLock &&other) noexcept {
    std::swap(file, other.file);
    std::swap(process, other.process);
    return *this;
  }
  ~DeviceLock();

private:
  explicit DeviceLock(std::filesystem::path file)
      : file(std::move(file)), process(::getpid()) {}

  std::filesystem::path file; ///< empty if it was moved from
  pid_t process;              ///< that has the lock; not a forked child
};

} // namespace tonno

#endif // TONNO_PROCESS_DEVICELOCK_H
