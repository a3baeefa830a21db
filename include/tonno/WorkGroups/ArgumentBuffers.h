//===- Buffers for unset kernel arguments ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_WORKGROUPS_ARGUMENTBUFFERS_H
#define TONNO_WORKGROUPS_ARGUMENTBUFFERS_H

#include "tonno/WorkGroups/WorkSize.h"

#include <string>
#include <vector>

namespace tonno {

/// A kernel argument as reported by OpenCL (clGetKernelArgInfo).
struct ArgumentInfo {
  enum class Space { global, constant, local, value };

  std::string name;
  std::string type; ///< `float4*`
  Space space = Space::value;
  bool isConst = false; ///< what it points to is
};

/// A buffer that stands in for an argument.
struct MadeBuffer {
  uint64_t bytes = 0;
  std::string pattern; ///< it is filled with: ones of reals, zeros of integers
  bool isWritten = false; ///< the kernel may write to it
};

/// Plans a buffer for each argument, of one element for each work-item: enough
/// if each work-item accesses its own element. Zeros are valid indices of every
/// buffer. The Error names the first argument that needs its caller: a value,
/// local memory, an image, a type that is not OpenCL's.
Result<std::vector<MadeBuffer>>
planBuffers(const std::string &kernel,
            const std::vector<ArgumentInfo> &arguments,
            const WorkSize &globalSize);

} // namespace tonno

#endif // TONNO_WORKGROUPS_ARGUMENTBUFFERS_H
