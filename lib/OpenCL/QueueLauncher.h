//===- Launches on a queue ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_OPENCL_QUEUELAUNCHER_H
#define TONNO_LIB_OPENCL_QUEUELAUNCHER_H

#include "BoundKernel.h"

#include "tonno/WorkGroups/Tuning.h"

#include <optional>
#include <set>

namespace tonno {

/// Times a kernel by profiling events of its queue. A kernel whose arguments
/// turn out to be unset gets buffers. A first launch that exceeds the timeout
/// fails the tuning, as it can't be stopped and blocks the queue.
class QueueLauncher : public Launcher {
public:
  QueueLauncher(const KernelInfo &place, WorkSize globalSize,
                BoundKernel kernel, Seconds timeout)
      : place(place), globalSize(std::move(globalSize)),
        kernel(std::move(kernel)), timeout(timeout),
        wait(place.queue, timeout) {}

  Result<void> drain() override;
  Result<LaunchTimes> launch(const WorkSize &localSize) override;

  /// Returns the failure that is independent of the local size, if any.
  const std::optional<Error> &failure() const { return fatal; }
  const BoundKernel &bound() const { return kernel; }

private:
  Result<EventHandle, cl_int> run(const WorkSize &localSize);
  Result<LaunchTimes> getLaunchTimes(const EventHandle &event) const;

  KernelInfo place;
  WorkSize globalSize;
  BoundKernel kernel;
  Seconds timeout;
  CommandWait wait;
  std::set<WorkSize> ended; ///< sizes whose launches have ended
  std::optional<Error> fatal;
};

} // namespace tonno

#endif // TONNO_LIB_OPENCL_QUEUELAUNCHER_H
