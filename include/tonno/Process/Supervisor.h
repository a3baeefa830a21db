//===- Who ends what a process leaves -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_PROCESS_SUPERVISOR_H
#define TONNO_PROCESS_SUPERVISOR_H

#include "tonno/Core/Result.h"

#include <functional>
#include <sys/types.h>

namespace tonno {

/// Goes on in a copy of this process, which this one outlives: when the copy
/// has ended, however that was, when SIGTERM comes, or when this one's parent
/// has ended, all that descends from it is killed, in whatever group or session
/// it is, and this process ends as the copy did, or by SIGTERM. Until then it
/// only waits: it holds neither of the descriptors 0 and 1.
///
/// Returns in the copy, which dies with the process it came from; gives the
/// process that had started that, for claimFrameChannel. Before there
/// is a second thread; and before claimFrameChannel, which must be the
/// copy's. What is killed by SIGKILL together with its supervisor leaves what
/// it has started outside of its group. When all of them have ended, `last` is
/// called, in this process.
Result<pid_t> continueSupervised(const std::function<void()> &last = [] {});

} // namespace tonno

#endif // TONNO_PROCESS_SUPERVISOR_H
