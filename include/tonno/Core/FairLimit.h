//===- FairLimit.h - Limits that others can't use up ---------- -*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_CORE_FAIRLIMIT_H
#define TONNO_CORE_FAIRLIMIT_H

#include "tonno/Core/Frame.h"

#include <cstdint>
#include <map>
#include <string>
#include <sys/types.h>

namespace tonno {

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

  /// Begins now.
  FairLimit(pid_t process, double seconds);

  /// It can't have passed before.
  Deadline earliest() const { return end; }
  /// Whether it has passed; else `earliest` is later from now on.
  bool hasPassed();

private:
  /// Of a thread, in nanoseconds.
  struct Schedule {
    uint64_t ran = 0;
    uint64_t waited = 0;
  };
  using Schedules = std::map<pid_t, Schedule>;
  static void collect(pid_t process, Schedules &schedules);
  double secondsTaken(double elapsed) const;

  pid_t process;
  double seconds;
  Deadline begin, end;
  Schedules before;
};

} // namespace tonno

#endif // TONNO_CORE_FAIRLIMIT_H
