//===- GPU code for the simulated device ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_SIMULATION_SIMRETARGET_H
#define TONNO_LIB_BACKEND_SIMULATION_SIMRETARGET_H

#include "tonno/Core/Result.h"

#include <cstdint>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tonno {

struct SimOptions {
  /// Threads of a subgroup: 32, or 64 on AMD's CDNA.
  uint32_t subgroupSize = 32;
  /// Set if f8 of matrix instructions are those of CDNA 3, with one zero.
  bool hasFnuz = false;
  /// The most dynamic shared memory that a launch may request,
  /// LaunchGeometry::sharedBytes. Allocated only if the module has an area
  /// without a size.
  uint64_t dynamicSharedBytes = 256 << 10;
};

/// Converts a module for NVPTX or AMDGPU to one for the host, ready for
/// `emitCode` and `linkSharedObject`: the `sim` device loads the result as an
/// artifact's binary. The module must be optimised, as before the GPU's code
/// generation.
///
/// Each kernel becomes a function of its name that takes its pointers, one for
/// each parameter. The Error names all unsupported intrinsics, inline assembly,
/// address spaces and parameters; the module is then invalid.
Result<void> retargetForSimulation(llvm::Module &module,
                                   llvm::TargetMachine &host,
                                   const SimOptions &options = {});

} // namespace tonno

#endif // TONNO_LIB_BACKEND_SIMULATION_SIMRETARGET_H
