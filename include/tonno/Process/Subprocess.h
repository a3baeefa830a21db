//===- Child processes and their time limits ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_PROCESS_SUBPROCESS_H
#define TONNO_PROCESS_SUBPROCESS_H

#include "tonno/Process/Frame.h"
#include "tonno/Process/ProcessEnd.h"
#include <csignal>
#include <cstdint>
#include <functional>
#include <map>
#include <sched.h>
#include <string>
#include <sys/types.h>
#include <unistd.h>
#include <vector>

namespace tonno {

/// Reports the time, and how long threads have run and have waited for a
/// processor. This class asks the system; tests derive one that they control.
class ScheduleSource {
public:
  /// The times of one thread, in nanoseconds.
  struct Times {
    uint64_t ran = 0;
    uint64_t waited = 0; ///< ready to run, while others had the processors
  };
  using Threads = std::map<pid_t, Times>;

  virtual ~ScheduleSource() = default;
  virtual Deadline now() const;
  /// Returns the times of each thread of the process and of its descendants;
  /// none where the kernel does not report them.
  virtual Threads threads(pid_t process) const;
  /// Returns the cores that the thread may use; none if it has ended.
  virtual cpu_set_t cores(pid_t thread) const;

  static const ScheduleSource &system();
};

/// A time limit for a process that excludes the time spent waiting for a
/// processor that other processes had: /proc reports the run time and the wait
/// time of each thread of the process and of its descendants. Time that these
/// threads took from each other counts, by the number of cores that they may
/// use. A sleeping or stopped thread, or one that waits for a device, does not
/// wait for a processor. All time counts if the kernel does not report wait
/// times.
class FairLimit {
public:
  /// Limits the extension of a limit by such waits, as a factor.
  static constexpr double mostStretch = 10;

  /// Begins now. The source must outlive the limit.
  FairLimit(pid_t process, double seconds,
            const ScheduleSource &source = ScheduleSource::system());

  /// Returns the earliest time at which the limit can have passed.
  Deadline earliest() const { return end; }
  /// Returns true if the limit has passed; else moves `earliest` on.
  bool hasPassed();

private:
  double secondsTaken(double elapsed) const;

  const ScheduleSource *source;
  pid_t process;
  double seconds;
  Deadline begin, end;
  ScheduleSource::Threads before;
};

/// The way to end a child that still runs.
enum class Ending {
  killed, ///< by SIGKILL, with its process group
  /// First by SIGTERM, for a supervised child: gives it a moment to end its
  /// descendants.
  asked,
};

/// A child process with a socket to talk to it; shares this process's standard
/// error. Leads a process group of its own, so that Ctrl-C on the terminal does
/// not reach it, and its group dies with it. Destruction kills it. Also dies
/// with the thread that spawned it: a thread that passes a Subprocess to
/// another thread must live as long.
class Subprocess {
public:
  /// Runs a program, whose standard input and output are the socket. Finds
  /// argv[0] on PATH unless it contains a slash.
  static Result<Subprocess> spawn(const std::vector<std::string> &argv,
                                  Ending ending = Ending::killed);
  /// Forks this process: the child runs `work` on its end of the socket, and
  /// exits with the returned status, without this process's destructors or exit
  /// handlers. The child's whole group dies with the thread that forked it,
  /// running or stopped.
  static Result<Subprocess> fork(const std::function<int(int channel)> &work);
  Subprocess(Subprocess &&other) noexcept;
  Subprocess &operator=(Subprocess &&other) noexcept;
  ~Subprocess();

  Result<void, FrameFailure> send(const Json &message,
                                  Deadline deadline = noDeadline,
                                  const Cancelled &cancelled = {}) {
    return sendFrame(channel, message, deadline, cancelled);
  }
  Result<Json, FrameFailure> receive(Deadline deadline = noDeadline,
                                     const Cancelled &cancelled = {}) {
    return readFrame(channel, deadline, cancelled);
  }

  /// Waits for a message to begin within a limit for the child, which counts
  /// from now, and for its end within as much again.
  Result<Json, FrameFailure> receiveWithin(double seconds,
                                           const Cancelled &cancelled = {});
  /// Counts from now.
  FairLimit limit(double seconds) const { return {pid, seconds}; }

  /// Ends the process group, if it still runs, and says how the
  /// child ended: "signal 11 (Segmentation fault)", "exit status 3". A child
  /// that has closed its channel is given a moment to end by itself first.
  ProcessEnd terminate(bool closed = false);
  /// Ends a child that gave no answer, and returns the cause by its channel's
  /// failure.
  NoAnswer terminate(FrameFailure failure) {
    return NoAnswer::of(failure, terminate(failure == FrameFailure::closed));
  }

private:
  Subprocess(pid_t pid, int channel, Ending ending)
      : pid(pid), channel(channel), ending(ending) {}
  /// Returns true if the child ends within a moment; sets its status then.
  bool exitsWithinGrace(int &status) const;

  pid_t pid = -1;
  int channel = -1;
  Ending ending = Ending::killed;
};

/// A child's end of the connection on which frames are exchanged: a socket, or
/// two pipes where ssh, a container or a shell stand between.
struct FrameChannel {
  int input = -1;
  int output = -1; ///< the same, of a socket
};

/// Claims the channel, in a child started by Subprocess: takes it away from
/// descriptors 0 and 1, so that no library can write into the protocol.
/// Standard input becomes /dev/null, standard output goes to standard error.
/// From then on the process dies with its parent and leaves no core file. If
/// the starter did not make the channel, since a script or a pipe is between,
/// the process also ends with its input, `graceSeconds` after it at the latest,
/// so that earlier requests can be answered.
Result<FrameChannel> claimFrameChannel(pid_t starter = ::getppid(),
                                       double graceSeconds = 1);

/// Returns true if a SIGCONT means that the parent has ended, in a child bound
/// to the parent's life by this signal (PR_SET_PDEATHSIG). SIGCONT is the only
/// signal whose handler runs in a stopped process; other processes may send it
/// too.
bool isParentDeathSignal(pid_t parent, const siginfo_t &signal);

} // namespace tonno

#endif // TONNO_PROCESS_SUBPROCESS_H
