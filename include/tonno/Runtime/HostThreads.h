//===- Threads that share a launch ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_HOSTTHREADS_H
#define TONNO_RUNTIME_HOSTTHREADS_H

#include <cstdint>
#include <functional>
#include <sched.h>

namespace tonno {

/// The threads that share the workgroups of a launch on the host: as long as it
/// runs, and on cores that were chosen before.
class HostThreads {
public:
  /// The caller's own thread.
  HostThreads() = default;

  /// One for each core that this process may use now, whichever it may use
  /// later.
  static HostThreads onAllowedCores();
  /// So many on these cores.
  static HostThreads onAllowedCores(unsigned count);

  unsigned size() const { return count; }

  /// Calls `work` once with each number below `workgroups`. All its threads
  /// have ended when it returns. Where the system has none to spare, the
  /// caller's does the work of the others.
  void run(uint32_t workgroups,
           const std::function<void(uint32_t workgroup)> &work) const;

private:
  unsigned count = 1;
  cpu_set_t cores = {};
};

} // namespace tonno

#endif // TONNO_RUNTIME_HOSTTHREADS_H
