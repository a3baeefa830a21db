//===- An open file of this process ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_DESCRIPTOR_H
#define TONNO_CORE_DESCRIPTOR_H

#include <string>
#include <unistd.h>
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
  void close() {
    if (number >= 0)
      ::close(std::exchange(number, -1));
  }

private:
  int number = -1;
};

} // namespace tonno

#endif // TONNO_CORE_DESCRIPTOR_H
