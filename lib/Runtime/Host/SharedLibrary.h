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

/// A shared object in this process; each load is a copy of its own.
class SharedLibrary {
public:
  /// Fails with the loader's reason, or `lost` without descriptors.
  static Result<std::unique_ptr<SharedLibrary>, Failure>
  load(std::span<const uint8_t> binary);
  /// Leaves code loaded that asks for it or that threads may still run.
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
