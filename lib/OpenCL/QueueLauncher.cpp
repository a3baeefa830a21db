//===- Launches on a queue ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "QueueLauncher.h"
#include "Failures.h"

using namespace tonno;

static constexpr double nanosecondsPerMicrosecond = 1000;

Result<void> QueueLauncher::drain() { return wait.drain(); }

Result<EventHandle, cl_int> QueueLauncher::run(const WorkSize &localSize) {
  std::vector<size_t> global(globalSize.begin(), globalSize.end());
  std::vector<size_t> local(localSize.begin(), localSize.end());
  cl_event event = nullptr;
  cl_int code = clEnqueueNDRangeKernel(
      place.queue, kernel.kernel(), static_cast<cl_uint>(global.size()),
      nullptr, global.data(), local.data(), 0, nullptr, &event);
  EventHandle handle(event);
  if (code == CL_SUCCESS && !ended.contains(localSize) && !wait.ends(event)) {
    fatal =
        Error{"'" + place.name + "' with the local size " +
              describe(localSize) + " has not ended in " + describe(timeout) +
              " s. OpenCL cannot stop a launch, so tuning ends and the buffers "
              "are not restored; raise 'timeoutSeconds'"};
    return code;
  }
  if (code == CL_SUCCESS)
    code = clWaitForEvents(1, &event);
  if (code != CL_SUCCESS)
    return code;
  ended.insert(localSize);
  return handle;
}

Result<LaunchTimes>
QueueLauncher::getLaunchTimes(const EventHandle &event) const {
  cl_ulong queued = 0, start = 0, end = 0;
  for (auto [what, value] : {std::pair{CL_PROFILING_COMMAND_QUEUED, &queued},
                             {CL_PROFILING_COMMAND_START, &start},
                             {CL_PROFILING_COMMAND_END, &end}})
    TONNO_TRY(checkCall("clGetEventProfilingInfo",
                        clGetEventProfilingInfo(
                            event.get(), what, sizeof *value, value, nullptr)));
  // A clock that went backwards gives no time.
  auto us = [](cl_ulong from, cl_ulong to) {
    return to > from ? (to - from) / nanosecondsPerMicrosecond : 0.0;
  };
  return LaunchTimes{us(queued, start), us(start, end)};
}

Result<LaunchTimes> QueueLauncher::launch(const WorkSize &localSize) {
  if (fatal)
    return *fatal;
  auto event = run(localSize);
  if (!event && event.error() == CL_INVALID_KERNEL_ARGS && kernel.isAsSet()) {
    auto made = BoundKernel::bindNewBuffers(place, globalSize, wait);
    if (!made) {
      fatal = made.error();
      return *fatal;
    }
    kernel = *std::move(made);
    event = run(localSize);
  }
  if (fatal) // what would be enqueued now waited for the launch
    return *fatal;
  if (auto restored = kernel.restore(wait); !restored) {
    fatal = restored.error().prefixed("cannot undo the kernel's writes");
    return *fatal;
  }
  if (!event)
    return makeCallError("clEnqueueNDRangeKernel", event.error());
  return getLaunchTimes(*event);
}
