//===- A kernel with its tuned local size ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/OpenCL/KernelSpec.h"

#include "Failures.h"
#include "Handles.h"
#include "Information.h"

using namespace tonno;

Result<cl_kernel> KernelSpec::buildFor(cl_command_queue queue) const {
  auto place = TONNO_TRY(QueueInfo::of(queue));
  cl_int code = CL_SUCCESS;
  const char *text = source.c_str();
  size_t length = source.size();
  ProgramHandle program(
      clCreateProgramWithSource(place.context, 1, &text, &length, &code));
  if (code != CL_SUCCESS)
    return makeCallError("clCreateProgramWithSource", code);
  std::string options = "-cl-kernel-arg-info";
  if (!buildOptions.empty())
    options += " " + buildOptions;
  code = clBuildProgram(program.get(), 1, &place.device, options.c_str(),
                        nullptr, nullptr);
  if (code != CL_SUCCESS)
    return Error{"'" + name + "' does not compile: " +
                 makeCallError("clBuildProgram", code).message + "\n" +
                 getBuildLog(program.get(), place.device)};
  // The kernel keeps its program.
  cl_kernel kernel = clCreateKernel(program.get(), name.c_str(), &code);
  if (code != CL_SUCCESS)
    return makeCallError("the kernel '" + name + "'", code);
  return kernel;
}
