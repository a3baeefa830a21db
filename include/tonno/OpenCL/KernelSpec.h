//===- A kernel with its tuned local size ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_OPENCL_KERNELSPEC_H
#define TONNO_OPENCL_KERNELSPEC_H

#include "tonno/OpenCL/Bindings.h"
#include "tonno/WorkGroups/WorkSize.h"

#include <string>

namespace tonno {

/// A kernel as its text, and the local size that was found for it.
struct KernelSpec {
  std::string name;
  std::string source;
  std::string buildOptions = {};
  WorkSize workgroupSize = {}; ///< empty: it was not tuned

  /// Compiles the kernel for the queue's device, with argument information. The
  /// Error has the compiler's log.
  Result<cl::Kernel> build(const cl::CommandQueue &queue) const {
    auto built = TONNO_TRY(buildFor(queue()));
    return cl::Kernel(built);
  }

private:
  Result<cl_kernel> buildFor(cl_command_queue queue) const;
};

} // namespace tonno

#endif // TONNO_OPENCL_KERNELSPEC_H
