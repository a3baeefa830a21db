//===- What AMD's kernels take --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_GPU_CODEOBJECTUSAGE_H
#define TONNO_LIB_BACKEND_GPU_CODEOBJECTUSAGE_H

#include "tonno/Core/KernelUsage.h"

#include "llvm/ADT/StringRef.h"

namespace tonno {

/// What a code object says of its kernels, in its metadata and its code. Spills
/// are those of vector registers; scalar ones are kept in these. The Error:
/// this is no code object, or not for the chip.
Result<std::vector<KernelUsage>> codeObjectUsage(llvm::StringRef codeObject,
                                                 const GpuChip &chip);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_GPU_CODEOBJECTUSAGE_H
