//===- Queries of OpenCL objects ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_OPENCL_INFORMATION_H
#define TONNO_LIB_OPENCL_INFORMATION_H

#include "tonno/Process/DeviceIdentity.h"
#include "tonno/WorkGroups/ArgumentBuffers.h"
#include "tonno/WorkGroups/Candidates.h"
#include "tonno/WorkGroups/KernelIdentity.h"

#include <CL/cl.h>

#include <string>
#include <vector>

namespace tonno {

/// A queue and what belongs to it.
struct QueueInfo {
  cl_command_queue queue = nullptr;
  cl_context context = nullptr;
  cl_device_id device = nullptr;

  static Result<QueueInfo> of(cl_command_queue queue);
};

/// Kernel to be timed, with its queue.
struct KernelInfo : QueueInfo {
  cl_kernel kernel = nullptr;
  cl_program program = nullptr;
  std::string name; ///< the kernel's

  /// Describes the kernel and its queue. A queue without profiling, or of
  /// another context or device than the kernel's, is an Error with the remedy.
  static Result<KernelInfo> of(cl_command_queue queue, cl_kernel kernel);
};

Result<WorkGroupLimits> getWorkGroupLimits(const KernelInfo &place);
/// Checks that the kernel, with its current arguments, does not need more local
/// memory than there is: PoCL would abort.
Result<void> checkLocalMemory(const KernelInfo &place, cl_kernel kernel);
Result<KernelIdentity> getKernelIdentity(const KernelInfo &place);
/// Returns the device's identity as the runner has it; a CPU is the host.
Result<DeviceIdentity> getDeviceIdentity(const QueueInfo &place);

/// Returns the kernel's arguments. Builds the source again if the program was
/// built without `-cl-kernel-arg-info`; a program without source is an Error.
Result<std::vector<ArgumentInfo>> getKernelArguments(const KernelInfo &place);

/// Returns the compiler's log of a program.
std::string getBuildLog(cl_program program, cl_device_id device);

/// Size and kind of a memory object.
struct MemoryInfo {
  size_t bytes = 0;
  bool isReadOnly = false; ///< kernels may not write into it
  bool isBuffer = true;    ///< and no image or pipe
};
Result<MemoryInfo> describeMemory(cl_mem memory);

} // namespace tonno

#endif // TONNO_LIB_OPENCL_INFORMATION_H
