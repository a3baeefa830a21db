//===- Limits that others can't use up ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_FAIRLIMIT_H
#define TONNO_CORE_FAIRLIMIT_H

#include "tonno/Core/Frame.h"

#include <cstdint>
#include <map>
#include <sched.h>
#include <sys/types.h>

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

/// A limit for what a process does, in which the time does not count that it
/// waited for a processor because others had them all: /proc tells how long
/// each thread of it, and of all that descend from it, has run and has waited.
/// What its threads took from each other counts: together they can't have had
/// more than the cores that they may use. What sleeps, waits for a device or is
/// stopped does not wait for a processor. Where the kernel does not tell, all
/// time counts.
class FairLimit {
public:
  /// Such a wait may make a limit so many times as long, and no longer.
  static constexpr double mostStretch = 10;

  /// Begins now. The source must outlive the limit.
  FairLimit(pid_t process, double seconds,
            const ScheduleSource &source = ScheduleSource::system());

  /// It can't have passed before.
  Deadline earliest() const { return end; }
  /// Whether it has passed; else `earliest` is later from now on.
  bool hasPassed();

private:
  double secondsTaken(double elapsed) const;

  const ScheduleSource *source;
  pid_t process;
  double seconds;
  Deadline begin, end;
  ScheduleSource::Threads before;
};

} // namespace tonno

#endif // TONNO_CORE_FAIRLIMIT_H
