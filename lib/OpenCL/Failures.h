//===- Texts of OpenCL errors ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_OPENCL_FAILURES_H
#define TONNO_LIB_OPENCL_FAILURES_H

#include "tonno/Core/Result.h"

#include <CL/cl.h>

#include <string>

namespace tonno {

/// Describes an error code of an OpenCL function, by the function's name.
Error makeCallError(const std::string &function, cl_int code);

inline Result<void> checkCall(const std::string &function, cl_int code) {
  return code == CL_SUCCESS ? Result<void>()
                            : Result<void>(makeCallError(function, code));
}

} // namespace tonno

#endif // TONNO_LIB_OPENCL_FAILURES_H
