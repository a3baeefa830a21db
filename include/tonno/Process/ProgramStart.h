//===- Start of programs --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_PROCESS_PROGRAMSTART_H
#define TONNO_PROCESS_PROGRAMSTART_H

#include "tonno/Core/Result.h"

#include <string>
#include <sys/types.h>
#include <vector>

namespace tonno {

/// A program and its arguments.
using Command = std::vector<std::string>;

/// The effect of a write to a pipe whose reader has ended.
enum class BrokenPipe {
  ends,     ///< as of any filter
  is_error, ///< as any other that fails: what else there is to write is written
};

/// Normalises the state inherited from the starter: opens the standard
/// descriptors, and lets children be waited for. A write beyond the file size
/// limit (`ulimit -f`) fails with EFBIG instead of a signal. Must be the first
/// call of each main.
void beginProgram(BrokenPipe pipe = BrokenPipe::is_error);

/// Makes the system send this process SIGTERM when the thread ends that started
/// it, a thread of the process `parent`. The Error: `parent` has ended already.
Result<void> terminateWithParent(pid_t parent);

/// Keeps up to this much freed memory in this process, where it is allocated
/// again without page faults.
void keepFreedMemory(int bytes);

/// Returns what is freed to the system.
void returnFreedMemory();

/// Limits the time from the start of a worker's or a runner's command to its
/// first answer, in seconds of FairLimit. Separate from the limits of requests,
/// since a command may have to connect first.
constexpr double defaultStartSeconds = 30;

/// Returns the remedy that follows "gave no answer". `program` is the program
/// that the command has to start.
std::string startRemedy(const std::vector<std::string> &command,
                        const std::string &program);

} // namespace tonno

#endif // TONNO_PROCESS_PROGRAMSTART_H
