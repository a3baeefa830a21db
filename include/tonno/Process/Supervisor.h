//===- Supervisor that ends stray processes -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_PROCESS_SUPERVISOR_H
#define TONNO_PROCESS_SUPERVISOR_H

#include "tonno/Core/Result.h"

#include <functional>
#include <sys/types.h>

namespace tonno {

/// Continues in a forked copy of this process, supervised by the original. The
/// original kills all its descendants, in whatever group or session, once the
/// copy has ended, SIGTERM arrives, or its own parent has ended; then it calls
/// `last` and ends as the copy did, or by SIGTERM. Until then it only waits,
/// and holds neither of the descriptors 0 and 1.
///
/// Returns in the copy, which dies with the original; the result is the
/// original's parent, for claimFrameChannel. Must be called before there is a
/// second thread, and before claimFrameChannel, which the copy must call. A
/// SIGKILL of both the copy and the original leaves descendants outside of
/// their group running.
Result<pid_t> continueSupervised(const std::function<void()> &last = [] {});

} // namespace tonno

#endif // TONNO_PROCESS_SUPERVISOR_H
