//===- The passes of the GPU backends -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BACKEND_GPUPIPELINE_H
#define TONNO_BACKEND_GPUPIPELINE_H

#include "tonno/Core/GpuChip.h"

#include "llvm/ADT/StringRef.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tonno {

/// From a module with a kernel at any level, its knobs resolved, to a module
/// with one `gpu.module` in the LLVM dialect, of NVIDIA's or AMD's flavour,
/// that has a function for each launch, and `tonno.launches`. In four parts:
/// the kernel becomes one function on buffers; its own schedule or pipeline is
/// applied, if it has one; what is structured still becomes launches; whatever
/// is in these becomes LLVM.
void buildGpuPipeline(mlir::OpPassManager &pm, llvm::StringRef kernel,
                      const GpuChip &chip);

/// Registers `tonno-lower-nvptx` and `tonno-lower-amdgpu`.
void registerGpuPipelines();

} // namespace tonno

#endif // TONNO_BACKEND_GPUPIPELINE_H
