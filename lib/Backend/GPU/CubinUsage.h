//===- What NVIDIA's kernels take -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_GPU_CUBINUSAGE_H
#define TONNO_LIB_BACKEND_GPU_CUBINUSAGE_H

#include "tonno/Core/KernelUsage.h"

#include "llvm/ADT/StringRef.h"

namespace tonno {

/// What a cubin says of its functions, and the assembler's log of their spills
/// (empty: spills are unknown). Instructions are counted without the padding
/// behind the last one. The Error: this is no cubin.
Result<std::vector<KernelUsage>> cubinUsage(llvm::StringRef cubin,
                                            llvm::StringRef log);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_GPU_CUBINUSAGE_H
