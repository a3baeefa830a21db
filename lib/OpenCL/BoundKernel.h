//===- A kernel with arguments --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_OPENCL_BOUNDKERNEL_H
#define TONNO_LIB_OPENCL_BOUNDKERNEL_H

#include "CommandWait.h"
#include "Handles.h"
#include "Information.h"

#include "tonno/OpenCL/KernelArgument.h"

#include <string>
#include <vector>

namespace tonno {

/// Kernel that can be launched repeatedly on the same contents. A kernel that
/// is given arguments is a separate kernel object, so that the caller's kernel
/// keeps its arguments and no argument outlives its buffer.
class BoundKernel {
public:
  /// Binds the arguments that the caller has set, if any.
  static BoundKernel asSet(const KernelInfo &place);
  /// Binds `arguments`; saves the buffers that the kernel may write if
  /// `restores`.
  static Result<BoundKernel> with(const KernelInfo &place,
                                  const std::vector<KernelArgument> &arguments,
                                  bool restores, const CommandWait &wait);
  /// Binds buffers created for this purpose (planBuffers).
  static Result<BoundKernel> bindNewBuffers(const KernelInfo &place,
                                            const WorkSize &globalSize,
                                            const CommandWait &wait);

  cl_kernel kernel() const { return own ? own.get() : place.kernel; }
  bool isAsSet() const { return !own; }
  bool hasNewBuffers() const { return !made.empty(); }
  /// Returns one sentence for each argument whose contents can't be restored.
  const std::vector<std::string> &notes() const { return unrestored; }
  /// Gives what launches may have written its contents back, and waits.
  Result<void> restore(const CommandWait &wait) const;

private:
  struct Saved {
    cl_mem original;
    MemoryHandle copy;
    size_t bytes;
  };

  explicit BoundKernel(const KernelInfo &place) : place(place) {}

  Result<void> createOwnKernel();
  Result<void> set(const std::vector<KernelArgument> &arguments);
  /// Saves a copy of a buffer; returns false for other memory objects.
  Result<bool> save(cl_mem buffer, const CommandWait &wait);

  KernelInfo place;
  KernelHandle own;
  std::vector<MemoryHandle> made;
  std::vector<Saved> saved;
  std::vector<std::string> unrestored;
};

} // namespace tonno

#endif // TONNO_LIB_OPENCL_BOUNDKERNEL_H
