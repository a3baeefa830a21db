//===- AMD's objects to code objects --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_GPU_CODEOBJECT_H
#define TONNO_LIB_BACKEND_GPU_CODEOBJECT_H

#include "Linker.h"

namespace tonno {

/// Links an object for AMDGPU into what HIP loads. A symbol without a
/// definition is a failure that names it. As for `runLinker`, equal input gives
/// equal bytes.
Result<std::string, LinkFailure> linkCodeObject(llvm::StringRef object);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_GPU_CODEOBJECT_H
