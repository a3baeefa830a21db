//===- DeviceLock.cpp - One process at a time -----------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/DeviceLock.h"
#include "tonno/Runtime/Device.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <future>
#include <sys/stat.h>
#include <unistd.h>

using namespace tonno;
namespace fs = std::filesystem;

fs::path DeviceLock::defaultFolder() { return "/tmp"; }

/// Of all of the file, for this process.
static int lock(int descriptor, int command) {
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return ::fcntl(descriptor, command, &whole) == 0 ? 0 : errno;
}

/// Waits in a thread: the processor that others time on stays theirs.
static int waitForLock(int descriptor, const std::function<void()> &waiting,
                       double signSeconds) {
  auto taken = std::async(std::launch::async, [descriptor] {
    int problem = EINTR;
    while (problem == EINTR)
      problem = lock(descriptor, F_SETLKW);
    return problem;
  });
  do
    waiting();
  while (taken.wait_for(std::chrono::duration<double>(signSeconds)) !=
         std::future_status::ready);
  return taken.get();
}

/// The file of a device, which the first user makes for all of them.
static int openShared(const fs::path &path) {
  // In a folder with the sticky bit, what others have made may not be opened
  // with O_CREAT.
  int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
  int descriptor = ::open(path.c_str(), flags);
  if (descriptor >= 0 || errno != ENOENT)
    return descriptor;
  descriptor = ::open(path.c_str(), flags | O_CREAT, 0666);
  if (descriptor >= 0)
    (void)::fchmod(descriptor, 0666); // the umask is for private files
  return descriptor;
}

/// A UUID is the driver's to choose.
static std::string fileName(const DeviceDescription &device) {
  std::string name = "tonno-" + device.kind + "-" + device.uuid;
  for (char &letter : name)
    if (letter == '/' || letter == '\0')
      letter = '_';
  return name + ".lock";
}

Result<DeviceLock> DeviceLock::acquire(const DeviceDescription &device,
                                       const std::function<void()> &waiting,
                                       const fs::path &folder,
                                       double signSeconds) {
  fs::path path = folder / fileName(device);
  auto failed = [&](int problem) {
    return Error{"cannot lock the device for this process alone by '" +
                 path.string() + "': " + std::strerror(problem)};
  };
  int descriptor = openShared(path);
  if (descriptor < 0)
    return failed(errno);
  DeviceLock held(descriptor);
  int problem = lock(descriptor, F_SETLK);
  if (problem == EAGAIN || problem == EACCES)
    problem = waitForLock(descriptor, waiting, signSeconds);
  if (problem != 0)
    return failed(problem);
  // Some candidates write to whatever is open.
  (void)!::ftruncate(descriptor, 0);
  return held;
}

DeviceLock::~DeviceLock() {
  if (descriptor >= 0)
    ::close(descriptor);
}
