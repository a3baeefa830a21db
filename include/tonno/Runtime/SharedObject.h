//===- Shared objects loaded from memory ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_SHAREDOBJECT_H
#define TONNO_RUNTIME_SHAREDOBJECT_H

#include "tonno/Core/Result.h"
#include "tonno/Core/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace tonno {

/// A shared object in this process. Each load is a copy of its own, even of the
/// same binary.
class SharedObject {
public:
  /// Loads the binary and runs its constructors. Fails with the loader's
  /// reason, or `lost` without descriptors.
  static Result<SharedObject, Failure> load(std::span<const uint8_t> binary);
  SharedObject(SharedObject &&other) noexcept
      : library(std::exchange(other.library, nullptr)) {}
  SharedObject &operator=(SharedObject &&other) noexcept {
    std::swap(library, other.library);
    return *this;
  }
  /// Runs the destructors and unloads the code.
  ~SharedObject();

  /// Leaves the code loaded for the life of the process.
  void keepLoaded() { library = nullptr; }

  /// Returns the symbol's address, or null if there is none.
  void *find(const std::string &symbol) const;

private:
  SharedObject() = default;

  void *library = nullptr;
};

} // namespace tonno

#endif // TONNO_RUNTIME_SHAREDOBJECT_H
