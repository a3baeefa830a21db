//===- Times launches by a GPU's clock ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_GPU_GPUTIMER_H
#define TONNO_LIB_RUNTIME_GPU_GPUTIMER_H

#include "GpuExecutable.h"

namespace tonno {

/// Times launches between two events on the device. A short kernel would end
/// before the host has launched the next, or has recorded the second event:
/// such a batch is made a graph first, events included, where the driver can.
class GpuTimer {
public:
  static Result<std::unique_ptr<GpuTimer>, Failure> create(GpuContext &context);
  ~GpuTimer();
  GpuTimer(const GpuTimer &) = delete;
  GpuTimer &operator=(const GpuTimer &) = delete;

  /// Seconds that the batch took. The first timing of an executable is a plain
  /// one, which decides how the others are done; so is the second, unless the
  /// first was short: that may have been long for loading the kernel.
  Result<double, Failure>
  time(GpuExecutable &executable,
       std::span<const std::vector<DevicePointer>> batch);

private:
  explicit GpuTimer(GpuContext &context);

  Result<double, Failure>
  timePlainly(GpuExecutable &executable,
              std::span<const std::vector<DevicePointer>> batch);
  /// Seconds, or 0 where the driver can't time this graph.
  Result<double, Failure>
  timeGraph(GpuExecutable &executable,
            std::span<const std::vector<DevicePointer>> batch);
  Result<void, Failure>
  enqueueAll(GpuExecutable &executable,
             std::span<const std::vector<DevicePointer>> batch);
  Result<GpuGraphExec, Failure>
  graphOf(GpuExecutable &executable,
          std::span<const std::vector<DevicePointer>> batch);
  Result<GpuGraph, Failure>
  capture(GpuExecutable &executable,
          std::span<const std::vector<DevicePointer>> batch);
  Result<GpuGraphExec, Failure> instantiate(GpuGraph graph);
  Result<void, Failure> record(GpuEvent event);
  Result<double, Failure> elapsedSeconds();

  GpuContext &context;
  GpuEvent start = nullptr, stop = nullptr;
  bool hasGraphs;
  bool recordsInGraphs; ///< else the events stand around the graph
};

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_GPU_GPUTIMER_H
