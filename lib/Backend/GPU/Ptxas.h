//===- NVIDIA's assembler as a program ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_GPU_PTXAS_H
#define TONNO_LIB_BACKEND_GPU_PTXAS_H

#include "PtxAssembler.h"

namespace tonno {

/// The ptxas found, which has told its version. Null: there is none that works.
std::unique_ptr<PtxAssembler> startPtxas(const CudaSearch &search);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_GPU_PTXAS_H
