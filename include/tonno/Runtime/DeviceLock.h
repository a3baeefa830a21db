//===- DeviceLock.h - One process at a time ------------------- -*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_RUNTIME_DEVICELOCK_H
#define TONNO_RUNTIME_DEVICELOCK_H

#include "tonno/Core/Result.h"

#include <filesystem>
#include <functional>
#include <string>
#include <utility>

namespace tonno {

struct DeviceDescription;

/// A device for one process at a time: whoever times on it locks it first, and
/// another tuner waits. The lock is a POSIX one on a file that anyone may
/// lock; it ends with the process, however that ends, and is not inherited by
/// what a candidate forks. Processes that don't see the same folder, as in
/// containers, don't exclude each other.
class DeviceLock {
public:
  /// Takes the lock. Where it is not free, calls `waiting` at once and then
  /// about every `signSeconds`.
  static Result<DeviceLock>
  acquire(const DeviceDescription &device, const std::function<void()> &waiting,
          const std::filesystem::path &folder = defaultFolder(),
          double signSeconds = 1);

  /// /tmp, whatever TMPDIR says: all users must meet there.
  static std::filesystem::path defaultFolder();

  DeviceLock(DeviceLock &&other) noexcept
      : descriptor(std::exchange(other.descriptor, -1)) {}
  DeviceLock &operator=(DeviceLock &&other) noexcept {
    std::swap(descriptor, other.descriptor);
    return *this;
  }
  ~DeviceLock();

private:
  explicit DeviceLock(int descriptor) : descriptor(descriptor) {}

  int descriptor;
};

} // namespace tonno

#endif // TONNO_RUNTIME_DEVICELOCK_H
