//===- A device for one process at a time ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceLock.h"
#include "tonno/Core/File.h"
#include "tonno/Core/PrintableText.h"
#include "tonno/Engine/Budget.h"
#include "tonno/Process/ProcessTable.h"
#include "tonno/Runtime/Device.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <future>
#include <pwd.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tonno;

namespace fs = std::filesystem;

static fs::path procFolder(pid_t process) {
  return fs::path("/proc") / std::to_string(process);
}

static std::optional<uid_t> findUser(pid_t process) {
  struct stat about = {};
  if (::stat(procFolder(process).c_str(), &about) != 0)
    return std::nullopt;
  return about.st_uid;
}

static std::string nameUser(uid_t user) {
  std::vector<char> buffer(1 << 14);
  struct passwd entry = {};
  struct passwd *found = nullptr;
  if (::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) != 0 ||
      !found)
    return std::to_string(user);
  return found->pw_name;
}

/// Its words with blanks between.
static std::string readCommand(pid_t process) {
  constexpr size_t most = 200;
  auto text = readFile(procFolder(process) / "cmdline");
  std::string command = text ? std::move(*text) : std::string();
  while (command.ends_with('\0'))
    command.pop_back();
  std::ranges::replace(command, '\0', ' ');
  if (command.size() > most)
    command = command.substr(0, most) + "...";
  return command;
}

/// The first above it that is not the same program, such as its supervisor.
static pid_t findStarter(pid_t process, const std::string &command) {
  constexpr int most = 4;
  for (int i = 0; i < most && process > 1; ++i) {
    auto stat = readProcessStat(process);
    process = stat ? stat->parent : 0;
    if (readCommand(process) != command)
      break;
  }
  return process;
}

/// Returns "process 4711 of user ann, 'tonno-runner', started by process 4709,
/// 'tonno-tune kernel.mlir'", as far as /proc tells it; printable.
static std::string describeProcess(pid_t process) {
  std::string text = "process " + std::to_string(process);
  std::optional<uid_t> user = findUser(process);
  if (user)
    text += " of user " + nameUser(*user);
  std::string command = readCommand(process);
  if (command.empty())
    return toPrintable(text);
  text += ", '" + command + "'";
  pid_t starter = findStarter(process, command);
  if (starter > 1 && findUser(starter) == user)
    text += ", started by process " + std::to_string(starter) + ", '" +
            readCommand(starter) + "'";
  return toPrintable(text);
}

fs::path DeviceLock::defaultFolder() { return "/tmp"; }

static struct flock wholeFile() {
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return whole;
}

/// Of all of the file, for this process.
static int lock(int descriptor, int command) {
  struct flock whole = wholeFile();
  return ::fcntl(descriptor, command, &whole) == 0 ? 0 : errno;
}

/// The kernel knows who has the lock, whatever others have left in the file.
static std::string describeHolder(int descriptor) {
  struct flock whole = wholeFile();
  if (::fcntl(descriptor, F_GETLK, &whole) != 0 || whole.l_type == F_UNLCK)
    return "one that has just let go of it";
  if (whole.l_pid <= 0) // as another namespace of processes has them
    return "one of another container";
  return describeProcess(whole.l_pid);
}

namespace {

/// A signal that ends a call of one thread, and does nothing else.
class EndingSignal {
public:
  EndingSignal() {
    struct sigaction ignored = {};
    ignored.sa_handler = [](int) {}; // without SA_RESTART
    ::sigaction(number, &ignored, &before);
  }
  EndingSignal(const EndingSignal &) = delete;
  EndingSignal &operator=(const EndingSignal &) = delete;
  ~EndingSignal() { ::sigaction(number, &before, nullptr); }

  /// Called in the thread.
  static void unblock() {
    sigset_t signals;
    ::sigemptyset(&signals);
    ::sigaddset(&signals, number);
    ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  }
  static void send(std::thread &thread) {
    ::pthread_kill(thread.native_handle(), number);
  }

private:
  static constexpr int number = SIGURG; // which is ignored by default
  struct sigaction before = {};
};

} // namespace

/// Waits in a thread, fairly and without using the processor that others time
/// on. EINTR: not for so long.
static int waitForLock(int descriptor, const DeviceLockWait &wait,
                       std::string &holder) {
  EndingSignal ending;
  std::atomic<bool> isOver = false;
  std::packaged_task<int()> task([&] {
    EndingSignal::unblock();
    int problem = EINTR;
    while (problem == EINTR && !isOver)
      problem = lock(descriptor, F_SETLKW);
    return problem;
  });
  std::future<int> taken = task.get_future();
  std::thread thread(std::move(task));
  auto isTaken = [&](double seconds) {
    return taken.wait_for(std::chrono::duration<double>(seconds)) ==
           std::future_status::ready;
  };
  double begin = steadySeconds();
  double left = wait.mostSeconds;
  do {
    wait.waiting(holder);
    if (isTaken(std::min(wait.signSeconds, left)))
      break;
    left = wait.mostSeconds - (steadySeconds() - begin);
    holder = describeHolder(descriptor);
  } while (left > 0);
  isOver = true;
  constexpr double betweenSignals = 0.01; // one may come before the call
  while (!isTaken(0)) {
    EndingSignal::send(thread);
    (void)isTaken(betweenSignals);
  }
  thread.join();
  return taken.get();
}

/// The file of a device, which the first user makes for all of them.
static int openShared(const fs::path &path) {
  // In a sticky folder, others' files may not be opened with O_CREAT. A pipe
  // must not block, a terminal not become the process's own.
  int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  int descriptor = ::open(path.c_str(), flags);
  if (descriptor >= 0 || errno != ENOENT)
    return descriptor;
  // The umask is for private files; another user must not find one of those.
  mode_t before = ::umask(0);
  descriptor = ::open(path.c_str(), flags | O_CREAT, 0666);
  int problem = errno;
  ::umask(before);
  if (descriptor >= 0)
    (void)::fchmod(descriptor, 0666); // where the folder has a default ACL
  errno = problem;
  return descriptor;
}

/// Returns why it can't be a device's file; empty if it may be. One with
/// another name is somebody's.
static std::string findMisuse(const struct stat &about) {
  if (!S_ISREG(about.st_mode))
    return "it is no regular file";
  if (about.st_nlink > 1)
    return "it has other names (hard links)";
  return "";
}

/// A UUID is the driver's to choose.
static std::string fileName(const DeviceDescription &device) {
  std::string name = "tonno-" + device.kind + "-" + device.uuid;
  for (char &letter : name)
    if (letter == '/' || letter == '\0')
      letter = '_';
  return name + ".lock";
}

Result<DeviceLock, DeviceLockFailure>
DeviceLock::acquire(const DeviceDescription &device, const DeviceLockWait &wait,
                    const fs::path &folder) {
  fs::path path = folder / fileName(device);
  auto failed = [&](const std::string &why) {
    return DeviceLockFailure{
        "cannot lock the device for this process alone by '" + path.string() +
        "': " + why};
  };
  for (;;) {
    int descriptor = openShared(path);
    if (descriptor < 0)
      return failed(std::strerror(errno));
    DeviceLock held(descriptor);
    struct stat about = {};
    if (::fstat(descriptor, &about) != 0)
      return failed(std::strerror(errno));
    if (std::string misuse = findMisuse(about); !misuse.empty())
      return failed(misuse);
    int problem = lock(descriptor, F_SETLK);
    std::string holder;
    if (problem == EAGAIN || problem == EACCES) {
      holder = describeHolder(descriptor);
      problem =
          wait.mostSeconds > 0 ? waitForLock(descriptor, wait, holder) : EINTR;
    }
    if (problem == EINTR)
      return DeviceLockFailure{failed("another process has it").message,
                               holder};
    if (problem != 0)
      return failed(std::strerror(problem));
    // The folder may have been cleaned, and another file made.
    if (::fstat(descriptor, &about) == 0 && about.st_nlink == 0)
      continue;
    // Some candidates write to whatever is open.
    if (about.st_size > 0)
      (void)!::ftruncate(descriptor, 0);
    return held;
  }
}
