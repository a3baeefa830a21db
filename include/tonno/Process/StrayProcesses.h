//===- Processes that candidates leave ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_PROCESS_STRAYPROCESSES_H
#define TONNO_PROCESS_STRAYPROCESSES_H

#include <cstddef>

namespace tonno {

/// From now on, whose parent has ended becomes a child of this process, if it
/// descends from it: none gets away.
void adoptStrayProcesses();

/// Ends all children of this process, and theirs, by SIGKILL. Returns how many
/// there were. Where there are none, that is one call of the system.
size_t endStrayProcesses();

} // namespace tonno

#endif // TONNO_PROCESS_STRAYPROCESSES_H
