//===- Shared objects loaded from memory ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_HOST_SHAREDLIBRARY_H
#define TONNO_LIB_RUNTIME_HOST_SHAREDLIBRARY_H

#include "tonno/Core/Result.h"
#include "tonno/Core/Status.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace tonno {

/// A shared object in this process, until it is destroyed. Each load is a copy
/// of its own, with a placement of its own.
class SharedLibrary {
public:
  /// A Failure `load_error` with the loader's reason, `out_of_memory`, or
  /// `lost` where this process has no descriptors left.
  static Result<std::unique_ptr<SharedLibrary>, Failure>
  load(std::span<const uint8_t> binary);
  /// Some code does not go away: that which asks for it, and that in which
  /// threads may still run.
  ~SharedLibrary();
  SharedLibrary(const SharedLibrary &) = delete;
  SharedLibrary &operator=(const SharedLibrary &) = delete;

  /// Null if it has no such symbol.
  void *find(const std::string &symbol) const;

private:
  SharedLibrary() = default;

  void *library = nullptr;
  size_t threadsBefore = 0; ///< of this process, when it was loaded
};

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_HOST_SHAREDLIBRARY_H
