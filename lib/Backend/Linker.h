//===- lld, in this process -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_LINKER_H
#define TONNO_LIB_BACKEND_LINKER_H

#include "tonno/Core/Result.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tonno {

/// Why there is no shared object.
struct LinkFailure {
  std::string message;
  bool fromOutside; ///< of the object: nothing is wrong with that
};

/// Global symbols of an object, sorted.
struct ObjectSymbols {
  std::vector<std::string> undefined, defined;
};

Result<ObjectSymbols> readSymbols(llvm::StringRef object);

/// Links objects, and shared objects, into a shared object, or by the option
/// `--relocatable` into an object, with further options of lld. Equal input
/// gives equal bytes. It needs no file system but /proc. lld resets the options
/// of llvm::cl of this process: a tool reads its own before.
Result<std::string, LinkFailure>
runLinker(llvm::ArrayRef<llvm::StringRef> objects,
          llvm::ArrayRef<const char *> options);

/// Functions of libraries that a shared object may call beside those that fill
/// or copy memory, or are mathematical.
struct LinkedFunctions {
  bool callsOpenMP = false;
  bool callsShapeLog = false; ///< the C library's files
};

/// Links objects into a shared object. Undefined symbols must be functions that
/// it may call; fails with the names of all others. Like `runLinker`, gives
/// equal bytes for equal input.
Result<std::string, LinkFailure>
linkSharedObject(llvm::ArrayRef<llvm::StringRef> objects,
                 LinkedFunctions functions = {});

/// Links objects into one object.
Result<std::string, LinkFailure>
linkRelocatable(llvm::ArrayRef<llvm::StringRef> objects);

/// Returns the bytes of machine code in an object or shared object.
Result<uint64_t> codeBytes(llvm::StringRef object);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_LINKER_H
