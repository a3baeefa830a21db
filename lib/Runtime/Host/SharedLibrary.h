//===- Shared libraries of candidates -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_HOST_SHAREDLIBRARY_H
#define TONNO_LIB_RUNTIME_HOST_SHAREDLIBRARY_H

#include "tonno/Runtime/SharedObject.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace tonno {

/// The shared object of a candidate, whose code is confined as it is loaded and
/// unloaded.
class SharedLibrary {
public:
  /// Fails with the loader's reason, or `lost` without descriptors.
  static Result<std::unique_ptr<SharedLibrary>, Failure>
  load(std::span<const uint8_t> binary);
  /// Leaves code loaded that asks for it or that threads may still run.
  ~SharedLibrary();
  SharedLibrary(const SharedLibrary &) = delete;
  SharedLibrary &operator=(const SharedLibrary &) = delete;

  /// Returns the symbol's address, or null if there is none.
  void *find(const std::string &symbol) const { return object->find(symbol); }

private:
  SharedLibrary(SharedObject object, size_t threadsBefore)
      : object(std::move(object)), threadsBefore(threadsBefore) {}

  std::optional<SharedObject> object;
  size_t threadsBefore; ///< of this process, when it was loaded
};

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_HOST_SHAREDLIBRARY_H
