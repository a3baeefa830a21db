//===- Waits for commands of a queue --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_OPENCL_COMMANDWAIT_H
#define TONNO_LIB_OPENCL_COMMANDWAIT_H

#include "Handles.h"

#include "tonno/Core/Result.h"

#include <chrono>
#include <string>

namespace tonno {

using Seconds = std::chrono::duration<double>;

/// Formats a limit as users write it: `300`, `0.05`.
std::string describe(Seconds limit);

/// Waits for commands of a queue, each up to a limit. Does not use clFinish,
/// which also waits for commands that other threads keep enqueueing.
class CommandWait {
public:
  CommandWait(cl_command_queue queue, Seconds limit)
      : queue(queue), limit(limit) {}

  /// Returns true if the command ends within the limit, also by a failure.
  bool ends(cl_event event) const;
  /// Waits for the command. The Error is the command's, or that it exceeded the
  /// limit; `what` names it: `filling a buffer`.
  Result<void> until(const EventHandle &event, const std::string &what) const;
  /// Waits for all that was enqueued before.
  Result<void> drain() const;

private:
  cl_command_queue queue;
  Seconds limit;
};

} // namespace tonno

#endif // TONNO_LIB_OPENCL_COMMANDWAIT_H
