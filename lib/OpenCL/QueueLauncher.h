//===- QueueLauncher.h - Launches on a queue ------------------ -*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_LIB_OPENCL_QUEUELAUNCHER_H
#define TONNO_LIB_OPENCL_QUEUELAUNCHER_H

#include "BoundKernel.h"

#include "tonno/WorkGroups/Tuning.h"

#include <optional>

namespace tonno {

/// Times a kernel by the events of its queue. One whose arguments turn out not
/// to be set gets buffers of its own.
class QueueLauncher : public Launcher {
public:
  QueueLauncher(const KernelPlace &place, WorkSize globalSize,
                BoundKernel kernel)
      : place(place), globalSize(std::move(globalSize)),
        kernel(std::move(kernel)) {}

  Result<void> drain() override;
  Result<LaunchTimes> launch(const WorkSize &localSize) override;

  /// What no local size is to blame for.
  const std::optional<Error> &failure() const { return fatal; }
  const BoundKernel &bound() const { return kernel; }

private:
  Result<EventHandle, cl_int> run(const WorkSize &localSize);
  Result<LaunchTimes> timesOf(const EventHandle &event) const;

  KernelPlace place;
  WorkSize globalSize;
  BoundKernel kernel;
  std::optional<Error> fatal;
};

} // namespace tonno

#endif // TONNO_LIB_OPENCL_QUEUELAUNCHER_H
