//===- Child processes and their time limits ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Process/Subprocess.h"
#include "tonno/Core/File.h"
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sched.h>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

using namespace tonno;
namespace fs = std::filesystem;

/// Parses and removes the number after leading blanks; returns false if there
/// is none.
template <typename T>
static bool consumeNumber(std::string_view &text, T &value) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return error == std::errc();
}

/// Adds the times of each thread of the process and of its descendants. Leaves
/// out what ends meanwhile.
static void collect(pid_t process, ScheduleSource::Threads &threads) {
  std::error_code gone;
  fs::directory_iterator task("/proc/" + std::to_string(process) + "/task",
                              gone);
  for (; !gone && task != fs::directory_iterator(); task.increment(gone)) {
    const fs::path &folder = task->path();
    pid_t thread = 0;
    std::string name = folder.filename();
    std::string_view digits = name;
    // Nanoseconds on a processor, nanoseconds waiting for one, time slices.
    auto schedule = readFile(folder / "schedstat");
    std::string_view numbers = schedule ? std::string_view(*schedule) : "";
    ScheduleSource::Times found;
    if (consumeNumber(digits, thread) && consumeNumber(numbers, found.ran) &&
        consumeNumber(numbers, found.waited))
      threads[thread] = found;
    if (auto children = readFile(folder / "children")) {
      std::string_view left = *children;
      for (pid_t child = 0; consumeNumber(left, child);)
        collect(child, threads);
    }
  }
}

Deadline ScheduleSource::now() const { return Clock::now(); }

ScheduleSource::Threads ScheduleSource::threads(pid_t process) const {
  Threads found;
  collect(process, found);
  return found;
}

cpu_set_t ScheduleSource::cores(pid_t thread) const {
  cpu_set_t allowed;
  if (::sched_getaffinity(thread, sizeof allowed, &allowed) != 0)
    CPU_ZERO(&allowed);
  return allowed;
}

const ScheduleSource &ScheduleSource::system() {
  static const ScheduleSource source;
  return source;
}

static Deadline addSeconds(Deadline begin, double seconds) {
  return begin + std::chrono::duration_cast<Clock::duration>(
                     std::chrono::duration<double>(seconds));
}

FairLimit::FairLimit(pid_t process, double seconds,
                     const ScheduleSource &source)
    : source(&source), process(process), seconds(seconds), begin(source.now()),
      end(addSeconds(begin, seconds)), before(source.threads(process)) {}

static uint64_t grown(uint64_t now, uint64_t before) {
  return now - std::min(before, now);
}

/// Returns the time that other processes took, for each thread with work.
/// Without them, the threads would have run for the time that they ran and
/// waited, if there are enough cores; else they would have had all of their
/// cores.
double FairLimit::secondsTaken(double elapsed) const {
  double ran = 0, waited = 0;
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (auto [thread, times] : source->threads(process)) {
    auto known = before.find(thread);
    ScheduleSource::Times sooner =
        known == before.end() ? ScheduleSource::Times() : known->second;
    uint64_t threadRan = grown(times.ran, sooner.ran);
    uint64_t threadWaited = grown(times.waited, sooner.waited);
    ran += 1e-9 * static_cast<double>(threadRan);
    waited += 1e-9 * static_cast<double>(threadWaited);
    if (threadRan + threadWaited != 0) {
      cpu_set_t allowed = source->cores(thread);
      CPU_OR(&cores, &cores, &allowed);
    }
  }
  int coreCount = std::max(1, CPU_COUNT(&cores));
  double wanted = std::min(ran + waited, coreCount * elapsed);
  double threads = std::max(1.0, wanted / elapsed);
  return std::max(0.0, wanted - ran) / threads;
}

bool FairLimit::hasPassed() {
  Deadline now = source->now();
  if (now < end)
    return false;
  double elapsed = std::chrono::duration<double>(now - begin).count();
  double stretched =
      std::min(seconds + secondsTaken(elapsed), mostStretch * seconds);
  end = addSeconds(begin, stretched);
  return source->now() >= end;
}

/// Sends this process the signal when its parent ends. A killed parent can't
/// end its children, and a child in an endless kernel would not notice that its
/// input has ended.
///
/// The signal comes at the end of the thread that spawned this process, not of
/// the whole parent. That is safe: a Subprocess lives within a call of
/// tuneModule, which starts no thread, so the thread that spawns a child also
/// outlives it, even if a pass manager runs the pass on a thread of its pool.
static Result<void> setParentDeathSignal(int channel, int signal = SIGKILL) {
  if (::prctl(PR_SET_PDEATHSIG, signal) != 0)
    return Error{std::string("cannot be bound to the parent's life: ") +
                 std::strerror(errno)};
  // Detects a parent that ended before. Its process id does not tell, as the
  // parent may well be process 1; but only the parent had the channel's other
  // end.
  pollfd other = {channel, POLLRDHUP, 0};
  constexpr short gone = POLLRDHUP | POLLHUP; // of a socket, not of a pipe
  if (::poll(&other, 1, 0) == 1 && (other.revents & gone) == gone)
    return Error{"the parent has ended"};
  return {};
}

/// Parent of a process that ends together with its group.
static pid_t parentOfGroup = 0;

/// Ends this process and all processes that it has started, its group, with the
/// parent: a program that it waits for may itself be a script that waits for
/// another.
static Result<void> setGroupParentDeathSignal(int channel, pid_t parent) {
  if (::setpgid(0, 0) != 0)
    return Error{"cannot lead a process group"};
  parentOfGroup = parent;
  struct sigaction endGroup = {};
  endGroup.sa_flags = SA_SIGINFO | SA_RESTART;
  endGroup.sa_sigaction = [](int, siginfo_t *info, void *) {
    if (isParentDeathSignal(parentOfGroup, *info))
      ::kill(0, SIGKILL);
  };
  // Any other signal would stay pending while the process is stopped.
  ::sigaction(SIGCONT, &endGroup, nullptr);
  return setParentDeathSignal(channel, SIGCONT);
}

bool tonno::isParentDeathSignal(pid_t parent, const siginfo_t &signal) {
  return signal.si_pid == parent || ::getppid() != parent;
}

static Result<void> makeChannel(int (&ends)[2]) {
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Error{std::string("cannot make a socket pair: ") +
                 std::strerror(errno)};
  return {};
}

/// Prepares and executes the program after the fork, by system calls only.
/// posix_spawn can't bind a program to its parent's life, which programs other
/// than tonno's do not do themselves.
[[noreturn]] static void start(char *const *arguments, char **variables,
                               int channel, pid_t parent, int failure) {
  sigset_t none;
  sigemptyset(&none);
  // A program inherits ignored signals. A program that ignores SIGCHLD does not
  // learn how its children ended.
  ::signal(SIGCHLD, SIG_DFL);
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGXFSZ, SIG_DFL);
  if (::setpgid(0, 0) == 0 && ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
      ::getppid() == parent &&
      ::sigprocmask(SIG_SETMASK, &none, nullptr) == 0 &&
      ::dup2(channel, STDIN_FILENO) >= 0 && ::dup2(channel, STDOUT_FILENO) >= 0)
    ::execvpe(arguments[0], arguments, variables);
  int reason = errno;
  (void)!::write(failure, &reason, sizeof reason);
  ::_exit(EXIT_FAILURE);
}

/// Returns the environment without credentials: candidates run in some of the
/// programs.
static std::vector<char *> getPublicVariables() {
  constexpr std::string_view token = "TONNO_STORE_TOKEN=";
  std::vector<char *> variables;
  for (char **variable = environ; variable && *variable; ++variable)
    if (!std::string_view(*variable).starts_with(token))
      variables.push_back(*variable);
  variables.push_back(nullptr);
  return variables;
}

/// Returns the errno of a failed exec; 0 if the program has started.
static int waitForStart(int failure) {
  int reason = 0;
  while (::read(failure, &reason, sizeof reason) < 0 && errno == EINTR)
    ;
  return reason;
}

Result<Subprocess> Subprocess::spawn(const std::vector<std::string> &argv,
                                     Ending ending) {
  int ends[2], failure[2];
  TONNO_TRY(makeChannel(ends));
  auto failed = [&](int reason) {
    ::close(ends[0]);
    bool isSearched = argv[0].find('/') == std::string::npos;
    return Error{"cannot start '" + argv[0] + "': " + std::strerror(reason) +
                 (isSearched ? " on the PATH" : "")};
  };
  std::vector<char *> arguments;
  for (const std::string &argument : argv)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  std::vector<char *> variables = getPublicVariables();
  if (::pipe2(failure, O_CLOEXEC) != 0) {
    ::close(ends[1]);
    return failed(errno);
  }
  pid_t parent = ::getpid();
  pid_t pid = ::fork();
  if (pid == 0)
    start(arguments.data(), variables.data(), ends[1], parent, failure[1]);
  int reason = pid < 0 ? errno : 0;
  ::close(ends[1]);
  ::close(failure[1]);
  if (pid > 0)
    reason = waitForStart(failure[0]);
  ::close(failure[0]);
  if (reason == 0)
    return Subprocess(pid, ends[0], ending);
  while (pid > 0 && ::waitpid(pid, nullptr, 0) < 0 && errno == EINTR)
    ;
  return failed(reason);
}

Result<Subprocess>
Subprocess::fork(const std::function<int(int channel)> &work) {
  int ends[2];
  TONNO_TRY(makeChannel(ends));
  pid_t parent = ::getpid();
  pid_t pid = ::fork();
  if (pid == 0) {
    ::close(ends[0]);
    ::_exit(setGroupParentDeathSignal(ends[1], parent).ok() ? work(ends[1])
                                                            : EXIT_FAILURE);
  }
  int failure = errno;
  ::close(ends[1]);
  if (pid < 0) {
    ::close(ends[0]);
    return Error{std::string("cannot fork: ") + std::strerror(failure)};
  }
  ::setpgid(pid, pid); // whoever comes first
  return Subprocess(pid, ends[0], Ending::killed);
}

Subprocess::Subprocess(Subprocess &&other) noexcept
    : pid(std::exchange(other.pid, -1)),
      channel(std::exchange(other.channel, -1)), ending(other.ending) {}

Subprocess &Subprocess::operator=(Subprocess &&other) noexcept {
  if (this != &other) {
    terminate();
    pid = std::exchange(other.pid, -1);
    channel = std::exchange(other.channel, -1);
    ending = other.ending;
  }
  return *this;
}

Subprocess::~Subprocess() { terminate(); }

Result<Json, FrameFailure>
Subprocess::receiveWithin(double seconds, const Cancelled &cancelled) {
  FairLimit limit = this->limit(seconds);
  for (;;) {
    auto ready = waitForFrame(channel, limit.earliest(), cancelled);
    if (ready)
      return receive(inSeconds(seconds), cancelled);
    if (ready.error() != FrameFailure::timed_out || limit.hasPassed())
      return ready.error();
  }
}

bool Subprocess::exitsWithinGrace(int &status) const {
  FairLimit patience = limit(0.5);
  for (;;) {
    if (::waitpid(pid, &status, WNOHANG) == pid)
      return true;
    if (patience.hasPassed())
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

ProcessEnd Subprocess::terminate(bool closed) {
  if (pid < 0)
    return {"not running"};
  int status = 0;
  // If the process ended by itself, report its own end rather than our signal.
  bool byItself = closed && exitsWithinGrace(status);
  bool hasEnded = byItself;
  if (!hasEnded && ending == Ending::asked) {
    ::kill(pid, SIGTERM);
    ::kill(pid, SIGCONT); // in case it is stopped
    hasEnded = exitsWithinGrace(status);
  }
  ::kill(-pid, SIGKILL);
  while (!hasEnded)
    hasEnded = ::waitpid(pid, &status, 0) == pid || errno != EINTR;
  pid = -1;
  ::close(std::exchange(channel, -1));
  ProcessEnd end = ProcessEnd::of(status);
  end.endedHere = !byItself;
  return end;
}

/// Ends the process soon after its input closes: a parent that is not the peer
/// may outlive it. Earlier requests must be answered within the grace time.
static void exitOnInputClose(int input, double graceSeconds) {
  std::thread([input, graceSeconds] {
    pollfd end = {input, POLLRDHUP, 0}; // that of a pipe is always told
    while (::poll(&end, 1, -1) < 0 && errno == EINTR)
      ;
    std::this_thread::sleep_for(std::chrono::duration<double>(graceSeconds));
    ::_exit(EXIT_FAILURE);
  }).detach();
}

static bool isSocket(int descriptor) {
  struct stat about = {};
  return ::fstat(descriptor, &about) == 0 && S_ISSOCK(about.st_mode);
}

/// Returns true if the process itself made the channel, without a script in
/// between.
static bool isSocketPeer(pid_t process, int input) {
  ucred peer = {};
  socklen_t size = sizeof peer;
  return ::getsockopt(input, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         peer.pid == process;
}

Result<FrameChannel> tonno::claimFrameChannel(pid_t starter,
                                              double graceSeconds) {
  FrameChannel channel;
  channel.input = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
  channel.output = isSocket(STDIN_FILENO)
                       ? channel.input
                       : ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
  int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (channel.input < 0 || channel.output < 0 || null < 0 ||
      ::dup2(null, STDIN_FILENO) < 0 ||
      ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    return Error{std::string("cannot set up the channel of frames: ") +
                 std::strerror(errno)};
  ::close(null);
  TONNO_TRY(setParentDeathSignal(channel.input));
  if (channel.input != channel.output || !isSocketPeer(starter, channel.input))
    exitOnInputClose(channel.input, graceSeconds);
  rlimit core;
  if (::getrlimit(RLIMIT_CORE, &core) == 0) {
    core.rlim_cur = 0;
    ::setrlimit(RLIMIT_CORE, &core);
  }
  return channel;
}
