//===- GPUs to compile for ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_GPU_GPUTARGET_H
#define TONNO_LIB_BACKEND_GPU_GPUTARGET_H

#include "tonno/Backend/Backend.h"
#include "tonno/Core/GpuChip.h"

namespace llvm {
class Target;
class TargetMachine;
} // namespace llvm

namespace tonno {

/// LLVM's target of a chip. LLVM is told of NVPTX or AMDGPU at the first call
/// for one, so that who compiles for the host does not pay. Null if LLVM was
/// built without it.
const llvm::Target *lookupGpuTarget(const GpuChip &chip);

/// The chip as a target of backends.
Target gpuTarget(const GpuChip &chip);

/// Null if LLVM was built without the target.
std::unique_ptr<llvm::TargetMachine> createTargetMachine(const GpuChip &chip);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_GPU_GPUTARGET_H
