//===- A GPU kernel under construction ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SCHEDULE_GPU_KERNELLAUNCH_H
#define TONNO_LIB_SCHEDULE_GPU_KERNELLAUNCH_H

#include "ThreadCode.h"

namespace tonno {

/// What a chip can do with one workgroup.
struct WorkgroupLimits {
  int64_t subgroupSize = 32;
  int64_t threads = 1024;
  int64_t sharedBytes = 48 << 10;
};

/// A launch of `workgroups` workgroups of `threads` threads each, whose body is
/// written through `code`; both are numbered along one dimension.
class KernelLaunch {
public:
  KernelLaunch(mlir::OpBuilder &builder, mlir::Location loc, int64_t workgroups,
               int64_t threads);

  /// Memory that a workgroup's threads share. Nobody clears it.
  mlir::Value addShared(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// Of all that was added.
  int64_t sharedBytes() const { return bytes; }

  mlir::gpu::LaunchOp launch;
  ThreadCode code;
  mlir::Value workgroup, thread;

private:
  int64_t bytes = 0;
};

} // namespace tonno

#endif // TONNO_LIB_SCHEDULE_GPU_KERNELLAUNCH_H
