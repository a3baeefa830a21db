//===- How a runner's process ends ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_RUNNER_RUNNEREXIT_H
#define TONNO_LIB_RUNTIME_RUNNER_RUNNEREXIT_H

namespace tonno {

/// The exit status by which a runner tells that a binary crashed before it was
/// called. Beside Core's outOfMemoryExit.
inline constexpr int runnerLoaderCrashed = 114;

/// That a candidate reached before the start of a block of the host's memory,
/// or behind its end.
inline constexpr int runnerReachedBefore = 115;
inline constexpr int runnerReachedBehind = 116;
/// That it wrote to one that it may only read.
inline constexpr int runnerWroteInput = 117;

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_RUNNER_RUNNEREXIT_H
