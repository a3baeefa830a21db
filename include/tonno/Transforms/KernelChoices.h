//===- What several kernels choose ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_KERNELCHOICES_H
#define TONNO_TRANSFORMS_KERNELCHOICES_H

#include "tonno/Transforms/ApplyConfiguration.h"

namespace tonno {

/// A configuration for one kernel.
struct KernelChoice {
  SearchSpace space;
  Configuration configuration;

  Json values() const { return space.values(configuration); }
};

/// Gives the knobs of each kernel's closure its choice. A schedule or function
/// with knobs that several kernels of the module use is cloned for each,
/// private and under its name and the kernel's, unless they chose the same;
/// what nobody uses any more is erased, unless it is public.
mlir::LogicalResult applyToKernels(llvm::ArrayRef<mlir::func::FuncOp> kernels,
                                   llvm::ArrayRef<KernelChoice> choices,
                                   KnobMode mode);

} // namespace tonno

#endif // TONNO_TRANSFORMS_KERNELCHOICES_H
