//===- Locations of CUDA's tools ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_GPU_CUDAINSTALLATION_H
#define TONNO_LIB_BACKEND_GPU_CUDAINSTALLATION_H

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tonno {

/// The folders in which to look for CUDA's tools.
struct CudaSearch {
  std::vector<std::string> roots; ///< folders such as /usr/local/cuda
  bool system = false;            ///< the loader's folders and $PATH, too

  /// Returns $CUDA_PATH and $CUDA_HOME; where neither is set, NVIDIA's packages
  /// beside this program, the usual folders and the system's.
  static CudaSearch fromEnvironment();
};

/// Returns the folders of NVIDIA's packages for Python, such as
/// nvidia-nvjitlink, in the environment whose bin has the program.
std::vector<std::string>
nvidiaPackagesBeside(const std::filesystem::path &program);

/// Returns what to give to dlopen for nvJitLink, best first: files, newest
/// first, then names for the loader.
std::vector<std::string> nvJitLinkLibraries(const CudaSearch &search);

/// Returns the program ptxas.
std::optional<std::string> findPtxas(const CudaSearch &search);

/// Returns the program nvdisasm.
std::optional<std::string> findNvdisasm(const CudaSearch &search);

/// Returns NVIDIA's mathematical functions as LLVM bitcode.
std::optional<std::string> findLibdevice(const CudaSearch &search);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_GPU_CUDAINSTALLATION_H
