//===- Where CUDA's tools are ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_GPU_CUDAINSTALLATION_H
#define TONNO_LIB_BACKEND_GPU_CUDAINSTALLATION_H

#include <optional>
#include <string>
#include <vector>

namespace tonno {

/// Where to look for CUDA's tools.
struct CudaSearch {
  std::vector<std::string> roots; ///< folders such as /usr/local/cuda
  bool system = false;            ///< the loader's folders and $PATH, too

  /// $CUDA_PATH and $CUDA_HOME; where neither is set, the usual folders and the
  /// system's.
  static CudaSearch fromEnvironment();
};

/// What to give to dlopen for nvJitLink, best first: files, newest first, then
/// names for the loader.
std::vector<std::string> nvJitLinkLibraries(const CudaSearch &search);

/// The program ptxas.
std::optional<std::string> findPtxas(const CudaSearch &search);

/// NVIDIA's mathematical functions as LLVM bitcode.
std::optional<std::string> findLibdevice(const CudaSearch &search);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_GPU_CUDAINSTALLATION_H
