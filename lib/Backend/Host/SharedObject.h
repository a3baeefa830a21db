//===- Objects to shared objects ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_HOST_SHAREDOBJECT_H
#define TONNO_LIB_BACKEND_HOST_SHAREDOBJECT_H

#include "Linker.h"

#include <cstdint>

namespace tonno {

/// Links one object into a shared object. What it needs from outside must be in
/// the C or mathematical library, or, where it `hasThreads`, in OpenMP's;
/// anything else is a failure that names it. As for `runLinker`, equal input
/// gives equal bytes.
Result<std::string, LinkFailure> linkSharedObject(llvm::StringRef object,
                                                  bool hasThreads);

/// Bytes of machine code in an object or shared object.
Result<uint64_t> codeBytes(llvm::StringRef object);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_HOST_SHAREDOBJECT_H
