//===- RunnerExit.h - How a runner's process ends ------------- -*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_LIB_RUNTIME_RUNNEREXIT_H
#define TONNO_LIB_RUNTIME_RUNNEREXIT_H

namespace tonno {

/// Exit statuses by which a runner tells more than the signal would.
enum RunnerExit : int {
  runnerOutOfMemory = 113,  ///< a candidate crashed for lack of memory
  runnerLoaderCrashed = 114 ///< a binary crashed before it was called
};

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_RUNNEREXIT_H
