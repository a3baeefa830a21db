//===- Register limits of GPU kernels -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_GPU_REGISTERLIMITS_H
#define TONNO_LIB_BACKEND_GPU_REGISTERLIMITS_H

#include "tonno/Backend/Backend.h"
#include "tonno/Core/GpuChip.h"

namespace llvm {
class Module;
} // namespace llvm

namespace tonno {

/// Emits machine code with `emit`, and again with fewer registers while a
/// kernel's threads use one step of registers too many for one more workgroup
/// on a compute unit. Code that spills more is dropped.
///
/// ```
/// attributes #0 = { "nvvm.maxntid"="256" }   ; 132 registers: 1 workgroup
/// ```
///
/// becomes
///
/// ```
/// attributes #0 = { "nvvm.maxntid"="256" "nvvm.minctasm"="2" }
/// ```
///
/// On AMD, the attribute is `amdgpu-waves-per-eu`. Functions that have it
/// already keep it. Limits that `emit` fails with are dropped; `context` has
/// its diagnostics. The module keeps the attributes of the code returned, but
/// is not otherwise changed: `emit` gets copies.
mlir::FailureOr<Code> emitWithinRegisterSteps(
    llvm::Module &module, const std::vector<Launch> &launches,
    const GpuChip &chip, mlir::MLIRContext &context,
    llvm::function_ref<mlir::FailureOr<Code>(llvm::Module &)> emit);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_GPU_REGISTERLIMITS_H
