//===- Exclusive lock of a device -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Process/DeviceLock.h"
#include "tonno/Core/Descriptor.h"
#include "tonno/Core/File.h"
#include "tonno/Core/PrintableText.h"
#include "tonno/Process/ProcessTable.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <future>
#include <map>
#include <mutex>
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

static std::string getUserName(uid_t user) {
  std::vector<char> buffer(1 << 14);
  struct passwd entry = {};
  struct passwd *found = nullptr;
  if (::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) != 0 ||
      !found)
    return std::to_string(user);
  return found->pw_name;
}

/// Returns the process's command line, with blanks between the words.
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

/// Returns the first ancestor that is another program, not for example a
/// supervisor.
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

static std::string describeStart(pid_t starter) {
  return ", started by process " + std::to_string(starter) + ", ";
}

/// Describes a process, as far as /proc allows, in printable text: "process
/// 4711 of user ann, 'tonno-runner', started by process 4709, 'tonno-tune
/// kernel.mlir'".
static std::string describeProcess(pid_t process) {
  std::string text = "process " + std::to_string(process);
  std::optional<uid_t> user = findUser(process);
  if (user)
    text += " of user " + getUserName(*user);
  std::string command = readCommand(process);
  if (command.empty())
    return toPrintable(text);
  text += ", '" + command + "'";
  pid_t starter = findStarter(process, command);
  if (starter > 1 && findUser(starter) == user)
    text += describeStart(starter) + "'" + readCommand(starter) + "'";
  return toPrintable(text);
}

bool tonno::isStartedByThis(const std::string &holder) {
  return holder.find(describeStart(::getpid())) != holder.npos;
}

/// The bytes of a lock file that a device is: its core's, else all.
using Core = std::optional<unsigned>;

static struct flock makeFileLock(Core core) {
  struct flock bytes = {};
  bytes.l_type = F_WRLCK;
  bytes.l_whence = SEEK_SET;
  bytes.l_start = core.value_or(0);
  bytes.l_len = core ? 1 : 0; // 0: to the end, wherever it is
  return bytes;
}

/// Locks the file for this process.
static int lock(int descriptor, Core core, int command) {
  struct flock bytes = makeFileLock(core);
  return ::fcntl(descriptor, command, &bytes) == 0 ? 0 : errno;
}

/// Describes the lock's holder. The kernel knows the holder, whatever the file
/// contains.
static std::string describeHolder(int descriptor, Core core) {
  struct flock bytes = makeFileLock(core);
  if (::fcntl(descriptor, F_GETLK, &bytes) != 0 || bytes.l_type == F_UNLCK)
    return "a process that has just released it";
  if (bytes.l_pid <= 0) // as another namespace of processes has them
    return "a process of another container";
  return describeProcess(bytes.l_pid);
}

namespace {

/// A signal that ends a call of one thread, and does nothing else. The handler
/// is installed while any thread of the process waits.
class EndingSignal {
public:
  void install() {
    std::lock_guard lock(mutex);
    if (users++ > 0)
      return;
    struct sigaction ignored = {};
    ignored.sa_handler = [](int) {}; // without SA_RESTART
    ::sigaction(number, &ignored, &before);
  }
  void uninstall() {
    std::lock_guard lock(mutex);
    if (--users == 0)
      ::sigaction(number, &before, nullptr);
  }

  /// Unblocks the signal in the waiting thread.
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
  std::mutex mutex;
  size_t users = 0;
  struct sigaction before = {};
};

/// Waits for the lock in a thread, in the kernel's queue, without using the
/// processor on which the holder times.
class LockWaiter {
public:
  LockWaiter(int descriptor, Core core, EndingSignal &signal) : signal(signal) {
    signal.install();
    std::packaged_task<int()> task([this, descriptor, core] {
      EndingSignal::unblock();
      int problem = EINTR;
      while (problem == EINTR && !isOver)
        problem = lock(descriptor, core, F_SETLKW);
      return problem;
    });
    taken = task.get_future();
    thread = std::thread(std::move(task));
  }
  LockWaiter(const LockWaiter &) = delete;
  LockWaiter &operator=(const LockWaiter &) = delete;
  ~LockWaiter() {
    isOver = true;
    constexpr double betweenSignals = 0.01; // one may come before the call
    while (!hasEnded(0)) {
      EndingSignal::send(thread);
      (void)hasEnded(betweenSignals);
    }
    thread.join();
    signal.uninstall();
  }

  /// Waits for up to this long.
  bool hasEnded(double seconds) const {
    return taken.wait_for(std::chrono::duration<double>(seconds)) ==
           std::future_status::ready;
  }
  int problem() const { return taken.get(); }

private:
  EndingSignal &signal;
  std::atomic<bool> isOver = false;
  std::shared_future<int> taken;
  std::thread thread;
};

/// The seconds of a wait.
class WaitClock {
public:
  explicit WaitClock(double most) : most(most) {}
  double left() const {
    std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - begin;
    return most - spent.count();
  }

private:
  double most;
  std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
};

/// Devices locked by threads of this process. A POSIX lock does not distinguish
/// threads, and a process loses it when it closes any descriptor of the file:
/// so only the thread whose turn it is opens the file.
class ProcessTurns {
public:
  /// Returns those of this process; a forked child begins without any.
  static ProcessTurns &current();

  /// Waits for other threads, and returns why it is not the caller's turn.
  std::optional<DeviceLockFailure> take(const fs::path &file,
                                        const DeviceLockWait &wait);
  /// Keeps the locked file open until the thread has let go of it.
  void keep(const fs::path &file, Descriptor descriptor);
  bool isLocked(const fs::path &file);
  void releaseTurn(const fs::path &file);

  EndingSignal endingSignal;

private:
  struct Turn {
    std::thread::id thread;
    size_t count = 1; ///< of the thread's locks
    Descriptor descriptor;
  };

  pid_t process = ::getpid();
  std::mutex mutex;
  std::condition_variable changed;
  std::map<fs::path, Turn> turns;
};

/// A thread's turn, which ends unless the file is locked.
class TakenTurn {
public:
  TakenTurn(ProcessTurns &turns, const fs::path &file)
      : turns(turns), file(file) {}
  TakenTurn(const TakenTurn &) = delete;
  TakenTurn &operator=(const TakenTurn &) = delete;
  ~TakenTurn() {
    if (!isKept)
      turns.releaseTurn(file);
  }
  void keep() { isKept = true; }

private:
  ProcessTurns &turns;
  const fs::path &file;
  bool isKept = false;
};

} // namespace

ProcessTurns &ProcessTurns::current() {
  // State that a forked child has of its parent's is left alone: threads that
  // are gone may have been changing it.
  static std::atomic<ProcessTurns *> all = nullptr;
  ProcessTurns *found = all;
  while (!found || found->process != ::getpid()) {
    auto *made = new ProcessTurns;
    if (all.compare_exchange_strong(found, made))
      return *made;
    delete made;
  }
  return *found;
}

std::optional<DeviceLockFailure>
ProcessTurns::take(const fs::path &file, const DeviceLockWait &wait) {
  const std::string holder =
      "another thread of this process, " + std::to_string(::getpid());
  WaitClock clock(std::min(wait.mostSeconds, wait.threadSeconds));
  std::unique_lock lock(mutex);
  for (;;) {
    auto [turn, isNew] = turns.try_emplace(file);
    if (isNew) {
      turn->second.thread = std::this_thread::get_id();
      return std::nullopt;
    }
    if (turn->second.thread == std::this_thread::get_id()) {
      ++turn->second.count;
      return std::nullopt;
    }
    double left = clock.left();
    if (left <= 0 || wait.isStopped())
      return DeviceLockFailure{holder + " has the device", holder,
                               wait.threadSeconds < wait.mostSeconds};
    lock.unlock();
    wait.waiting(holder);
    lock.lock();
    auto isFree = [&] { return !turns.contains(file); };
    changed.wait_for(
        lock, std::chrono::duration<double>(std::min(left, wait.signSeconds)),
        isFree);
  }
}

void ProcessTurns::keep(const fs::path &file, Descriptor descriptor) {
  std::lock_guard lock(mutex);
  turns.at(file).descriptor = std::move(descriptor);
}

bool ProcessTurns::isLocked(const fs::path &file) {
  std::lock_guard lock(mutex);
  return turns.at(file).descriptor.valid();
}

void ProcessTurns::releaseTurn(const fs::path &file) {
  {
    std::lock_guard lock(mutex);
    auto turn = turns.find(file);
    if (--turn->second.count > 0)
      return;
    turns.erase(turn);
  }
  changed.notify_all();
}

/// Returns EINTR if the wait has ended before the lock was free.
static int waitForLock(int descriptor, Core core, const DeviceLockWait &wait,
                       std::string &holder) {
  LockWaiter waiter(descriptor, core, ProcessTurns::current().endingSignal);
  WaitClock clock(wait.mostSeconds);
  double left = wait.mostSeconds;
  do {
    wait.waiting(holder);
    if (waiter.hasEnded(std::min(wait.signSeconds, left)))
      return waiter.problem();
    left = clock.left();
    holder = describeHolder(descriptor, core);
  } while (left > 0 && !wait.isStopped());
  return EINTR;
}

/// Opens the lock file of a device; the first user creates it for all users.
static int openShared(const fs::path &path) {
  // In a sticky folder, files of other users may not be opened with O_CREAT.
  // Opening a pipe must not block, and a terminal must not become the
  // controlling one.
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

/// Returns the reason why the file can't be a device's lock; empty if it can. A
/// file with hard links belongs to another use.
static std::string findLockFileProblem(const struct stat &about) {
  if (!S_ISREG(about.st_mode))
    return "not a regular file";
  if (about.st_nlink > 1)
    return "the file has other names (hard links)";
  return "";
}

/// Returns the name of a device's file. The driver chooses the UUID, so slashes
/// are replaced.
static std::string getFileName(const DeviceIdentity &device) {
  std::string name = "tonno-" + device.kind + "-" + device.uuid;
  for (char &letter : name)
    if (letter == '/' || letter == '\0')
      letter = '_';
  return name + ".lock";
}

/// Locks the device's file for this process.
static Result<Descriptor, DeviceLockFailure>
lockFile(const fs::path &path, Core core, const DeviceLockWait &wait) {
  auto failed = [&](const std::string &why) {
    return DeviceLockFailure{
        "cannot lock the device for this process alone by '" + path.string() +
        "': " + why + "; other tuners may disturb the times"};
  };
  for (;;) {
    Descriptor held(openShared(path));
    int descriptor = held.get();
    if (!held.valid())
      return failed(std::strerror(errno));
    struct stat about = {};
    if (::fstat(descriptor, &about) != 0)
      return failed(std::strerror(errno));
    if (std::string misuse = findLockFileProblem(about); !misuse.empty())
      return failed(misuse);
    int problem = lock(descriptor, core, F_SETLK);
    std::string holder;
    if (problem == EAGAIN || problem == EACCES) {
      holder = describeHolder(descriptor, core);
      problem = wait.mostSeconds > 0
                    ? waitForLock(descriptor, core, wait, holder)
                    : EINTR;
    }
    if (problem == EINTR)
      return DeviceLockFailure{holder + " has the device", holder};
    if (problem != 0)
      return failed(std::strerror(problem));
    // The folder may have been cleaned, and another file made.
    if (::fstat(descriptor, &about) == 0 && about.st_nlink == 0)
      continue;
    // A candidate may have written to the open descriptor.
    if (about.st_size > 0)
      (void)!::ftruncate(descriptor, 0);
    return held;
  }
}

fs::path DeviceLock::defaultFolder() { return "/tmp"; }

Result<DeviceLock, DeviceLockFailure>
DeviceLock::acquire(const DeviceIdentity &device, const DeviceLockWait &wait,
                    const fs::path &folder) {
  fs::path path = folder / getFileName(device);
  ProcessTurns &turns = ProcessTurns::current();
  WaitClock clock(wait.mostSeconds);
  if (auto failure = turns.take(path, wait))
    return *std::move(failure);
  TakenTurn turn(turns, path);
  if (!turns.isLocked(path)) {
    DeviceLockWait rest = wait;
    rest.mostSeconds = std::max(clock.left(), 0.0);
    turns.keep(path, TONNO_TRY(lockFile(path, device.core, rest)));
  }
  turn.keep();
  return DeviceLock(std::move(path));
}

DeviceLock::~DeviceLock() {
  if (!file.empty() && process == ::getpid())
    ProcessTurns::current().releaseTurn(file);
}
