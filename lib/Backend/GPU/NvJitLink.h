//===- NVIDIA's assembler as a library ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_GPU_NVJITLINK_H
#define TONNO_LIB_BACKEND_GPU_NVJITLINK_H

#include "PtxAssembler.h"

namespace tonno {

/// The nvJitLink library, loaded for good: the first that has all functions
/// needed. Null: there is none.
std::unique_ptr<PtxAssembler> loadNvJitLink(const CudaSearch &search);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_GPU_NVJITLINK_H
