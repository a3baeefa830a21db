//===- The vendors' mathematics -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_GPU_DEVICELIBRARIES_H
#define TONNO_LIB_BACKEND_GPU_DEVICELIBRARIES_H

#include "CudaInstallation.h"

#include "tonno/Core/GpuChip.h"
#include "tonno/Core/Result.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tonno {

/// Bitcode with functions that kernels may call: NVIDIA's libdevice (`__nv_*`),
/// AMD's device libraries (`__ocml_*`, `__ockl_*`).
struct DeviceLibraries {
  std::vector<std::string> files;

  /// Finds the libraries of the chip's vendor, in the folders named by
  /// $CUDA_PATH and $CUDA_HOME, or $HIP_DEVICE_LIB_PATH and $ROCM_PATH, or else
  /// in the usual folders.
  static DeviceLibraries find(const GpuChip &chip);

  /// Returns name and content hash, for fingerprints: "libdevice.10.bc
  /// 0123456789abcdef".
  std::string description() const;
};

/// Links the library functions that a module calls into it, as internal
/// functions for `optimize` to inline. Reads no file if the module calls none.
/// The Error names undefined functions, and the missing library.
Result<void> linkDeviceLibraries(llvm::Module &module,
                                 llvm::TargetMachine &machine,
                                 const GpuChip &chip,
                                 const DeviceLibraries &libraries);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_GPU_DEVICELIBRARIES_H
