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
/// each thread did. Of the process and all that descend from it, the thread
/// that waited longest is taken. What sleeps, waits for a device or is stopped
/// does not wait for a processor. Where the kernel does not tell, all time
/// counts.
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
  pid_t process;
  double seconds;
  Deadline begin, end;
  std::map<pid_t, uint64_t> before; ///< nanoseconds, by thread
};

/// "30 s", "0.05 s"
std::string formatLimit(double seconds);

} // namespace tonno

#endif // TONNO_CORE_FAIRLIMIT_H
