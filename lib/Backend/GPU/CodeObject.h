//===- AMD's code objects -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_GPU_CODEOBJECT_H
#define TONNO_LIB_BACKEND_GPU_CODEOBJECT_H

#include "tonno/Core/Occupancy.h"
#include "llvm/ADT/StringRef.h"
#include "Linker.h"

namespace tonno {

/// Links an object for AMDGPU into what HIP loads. A symbol without a
/// definition is a failure that names it. As for `runLinker`, equal input gives
/// equal bytes.
Result<std::string, LinkFailure> linkCodeObject(llvm::StringRef object);

/// Returns the usage of a code object's kernels, from its metadata and its
/// code. Spills are those of vector registers; scalar registers spill into
/// these. Fails if the bytes are no code object or not for the chip.
Result<std::vector<KernelUsage>> codeObjectUsage(llvm::StringRef codeObject,
                                                 const GpuChip &chip);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_GPU_CODEOBJECT_H
