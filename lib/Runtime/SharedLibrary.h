//===- SharedLibrary.h - Shared objects loaded from memory ------*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_RUNTIME_SHAREDLIBRARY_H
#define TONNO_RUNTIME_SHAREDLIBRARY_H

#include "tonno/Core/Result.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace tonno {

/// A shared object in this process, until it is destroyed. Each load is a copy
/// of its own, with a placement of its own.
class SharedLibrary {
public:
  /// An Error with the loader's reason.
  static Result<std::unique_ptr<SharedLibrary>>
  load(std::span<const uint8_t> binary);
  ~SharedLibrary();
  SharedLibrary(const SharedLibrary &) = delete;
  SharedLibrary &operator=(const SharedLibrary &) = delete;

  /// Null if it has no such symbol.
  void *find(const std::string &symbol) const;

private:
  explicit SharedLibrary(int descriptor) : descriptor(descriptor) {}

  /// Stays open as long as the library is loaded. The loader knows libraries
  /// by name, which is /proc/self/fd/<descriptor> here: were the number free
  /// for the next artifact, the loader would hand out this one in its place.
  int descriptor;
  void *library = nullptr;
};

} // namespace tonno

#endif // TONNO_RUNTIME_SHAREDLIBRARY_H
