//===- Arguments of OpenCL kernels ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_OPENCL_KERNELARGUMENT_H
#define TONNO_OPENCL_KERNELARGUMENT_H

#include "tonno/OpenCL/Bindings.h"

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

namespace tonno {

/// A buffer or image, a value, or room in local memory. Memory objects stay the
/// caller's, and must outlive the launches.
class KernelArgument {
public:
  KernelArgument(const cl::Memory &memory) : KernelArgument(memory()) {}
  explicit KernelArgument(cl_mem buffer)
      : KernelArgument(static_cast<const void *>(&buffer), sizeof(cl_mem)) {
    memory = buffer;
  }

  template <typename T>
    requires std::is_arithmetic_v<T> ||
             (std::is_trivially_copyable_v<T> && std::is_union_v<T>)
  KernelArgument(const T &value) : KernelArgument(&value, sizeof value) {}

  /// Creates an argument from the bytes of a value, for types with another name
  /// in the kernel.
  static KernelArgument bytes(const void *data, size_t size) {
    return {data, size};
  }

  static KernelArgument local(size_t size) { return {nullptr, size}; }

  size_t size() const { return numBytes; }
  /// Returns the argument's data; null for local memory.
  const void *data() const { return value.empty() ? nullptr : value.data(); }
  /// Returns the memory object; null if the argument is none.
  cl_mem buffer() const { return memory; }

private:
  KernelArgument(const void *data, size_t size) : numBytes(size) {
    if (data) {
      value.resize(size);
      std::memcpy(value.data(), data, size);
    }
  }

  size_t numBytes;
  std::vector<std::byte> value;
  cl_mem memory = nullptr;
};

} // namespace tonno

#endif // TONNO_OPENCL_KERNELARGUMENT_H
