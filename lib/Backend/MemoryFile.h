//===- Files without a file system ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_MEMORYFILE_H
#define TONNO_LIB_BACKEND_MEMORYFILE_H

#include "tonno/Core/Descriptor.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace tonno {

/// A file of these bytes in memory. Not valid where the system has none left;
/// errno has the reason. With `inherited`, the programs that this process
/// starts have it too.
Descriptor fileInMemory(llvm::StringRef bytes, bool inherited = false);

/// What is left to read; up to `most` bytes of it are kept, the rest is read
/// and dropped.
std::string readToEnd(int descriptor, size_t most = SIZE_MAX);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_MEMORYFILE_H
