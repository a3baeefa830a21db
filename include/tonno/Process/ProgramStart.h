//===- How programs are started -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_PROCESS_PROGRAMSTART_H
#define TONNO_PROCESS_PROGRAMSTART_H

#include "tonno/Core/Result.h"

#include <string>
#include <sys/types.h>
#include <vector>

namespace tonno {

/// The effect of a write to a pipe whose reader has ended.
enum class BrokenPipe {
  ends,     ///< as of any filter
  is_error, ///< as any other that fails: what else there is to write is written
};

/// Makes of what a program has inherited from its starter what it counts on:
/// the standard descriptors are open, and children leave how they ended. A
/// write beyond the limit of a file's size (`ulimit -f`) is an error, EFBIG,
/// and no signal. The first call of each main.
void beginProgram(BrokenPipe pipe = BrokenPipe::is_error);

/// Makes the system send this process SIGTERM when the thread ends that started
/// it, a thread of the process `parent`. The Error: `parent` has ended already.
Result<void> terminateWithParent(pid_t parent);

/// From the start of a worker's or a runner's command to its first answer, in
/// seconds of FairLimit. No work is asked for until then, so it is not what the
/// work may take; but a command may have to connect first.
constexpr double defaultStartSeconds = 30;

/// Behind "gave no answer": what to look at. `program` is what the command has
/// to bring up.
std::string startRemedy(const std::vector<std::string> &command,
                        const std::string &program);

} // namespace tonno

#endif // TONNO_PROCESS_PROGRAMSTART_H
