//===- What every main begins with ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_PROCESS_PROGRAMSTART_H
#define TONNO_PROCESS_PROGRAMSTART_H

namespace tonno {

/// What a write does to a program whose reader has ended.
enum class BrokenPipe {
  ends,     ///< as of any filter
  is_error, ///< as any other that fails: what else there is to write is written
};

/// Makes of what a program has inherited from its starter what it counts on:
/// the standard descriptors are open, and children leave how they ended. A
/// write beyond the limit of a file's size (`ulimit -f`) is an error, EFBIG,
/// and no signal. The first call of each main.
void beginProgram(BrokenPipe pipe = BrokenPipe::is_error);

} // namespace tonno

#endif // TONNO_PROCESS_PROGRAMSTART_H
