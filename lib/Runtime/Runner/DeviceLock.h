//===- A device for one process at a time ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_RUNNER_DEVICELOCK_H
#define TONNO_LIB_RUNTIME_RUNNER_DEVICELOCK_H

#include "tonno/Core/Descriptor.h"
#include "tonno/Core/Result.h"

#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>

namespace tonno {

struct DeviceDescription;

/// Why a device was not locked.
struct DeviceLockFailure {
  std::string message;
  /// The process that has it, if the wait has ended before it was free.
  std::optional<std::string> holder = {};
};

/// How a device's lock is waited for.
struct DeviceLockWait {
  /// Is told who has the device, at once and then about every `signSeconds`.
  std::function<void(const std::string &holder)> waiting;
  double signSeconds = 1;
  /// Limits the wait; 0 only takes a lock that is free.
  double mostSeconds = std::numeric_limits<double>::infinity();
};

/// A device for one process at a time: whoever times locks it first. A POSIX
/// lock on a file that anyone may lock; it ends with the process, and what a
/// candidate forks does not inherit it. Containers with folders of their own
/// don't exclude each other.
///
/// Anyone may write to the folder, so the file is not trusted: symbolic links,
/// other names and what is no regular file are refused.
class DeviceLock {
public:
  static Result<DeviceLock, DeviceLockFailure>
  acquire(const DeviceDescription &device, const DeviceLockWait &wait,
          const std::filesystem::path &folder = defaultFolder());

  /// /tmp, whatever TMPDIR says: all users must meet there.
  static std::filesystem::path defaultFolder();

private:
  explicit DeviceLock(int descriptor) : descriptor(descriptor) {}

  Descriptor descriptor;
};

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_RUNNER_DEVICELOCK_H
