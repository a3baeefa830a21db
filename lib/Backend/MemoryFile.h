//===- MemoryFile.h - Files without a file system ---------------*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_LIB_BACKEND_MEMORYFILE_H
#define TONNO_LIB_BACKEND_MEMORYFILE_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <utility>

namespace tonno {

/// A descriptor, closed at the end, that others open again by its name in
/// /proc: this process, and those that inherit it.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int number) : number(number) {}
  Descriptor(Descriptor &&other) noexcept
      : number(std::exchange(other.number, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~Descriptor() { close(); }

  bool valid() const { return number >= 0; }
  int get() const { return number; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(number); }
  void close();

private:
  int number = -1;
};

/// A file of these bytes in memory. Not valid where the system has none left;
/// errno has the reason. With `inherited`, the programs that this process
/// starts have it too.
Descriptor fileInMemory(llvm::StringRef bytes, bool inherited = false);

/// What is left to read; up to `most` bytes of it are kept, the rest is read
/// and dropped.
std::string readToEnd(int descriptor, size_t most = SIZE_MAX);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_MEMORYFILE_H
