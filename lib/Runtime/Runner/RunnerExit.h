//===- RunnerExit.h - How a runner's process ends ------------- -*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_LIB_RUNTIME_RUNNER_RUNNEREXIT_H
#define TONNO_LIB_RUNTIME_RUNNER_RUNNEREXIT_H

namespace tonno {

/// The exit status by which a runner tells that a binary crashed before it was
/// called. Beside Core's outOfMemoryExit.
inline constexpr int runnerLoaderCrashed = 114;

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_RUNNER_RUNNEREXIT_H
