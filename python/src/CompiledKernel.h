//===- A compiled kernel apart from its code ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_SRC_COMPILEDKERNEL_H
#define PYTHON_SRC_COMPILEDKERNEL_H

#include "tonno/Core/LaunchPlan.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tonno::python {

/// Returns the least multiple of `alignment` that is not below `value`.
constexpr uint64_t roundUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// Buffers that share one block of memory.
class BlockLayout {
public:
  /// Adds a buffer behind the others. `alignment` is a power of two.
  void add(uint64_t bytes, uint64_t alignment);

  size_t size() const { return offsets.size(); }
  uint64_t offset(size_t index) const { return offsets[index]; }
  uint64_t bytes() const { return end; }
  /// Returns the alignment of the block.
  uint64_t alignment() const { return largest; }

private:
  std::vector<uint64_t> offsets;
  uint64_t end = 0, largest = 1;
};

/// A compiled kernel apart from its code.
class CompiledKernel {
public:
  CompiledKernel(std::string name, LaunchPlan plan,
                 std::span<const uint8_t> binary);

  const std::string &name() const { return shippedName; }
  const LaunchPlan &plan() const { return launchPlan; }
  /// Returns the buffers that callers bring: arguments, then results.
  std::span<const BufferSpec> signature() const {
    return std::span(launchPlan.buffers).first(callersBuffers);
  }
  /// Returns the number of arguments, which stand first in the signature.
  size_t numArguments() const { return arguments; }
  /// Returns the number of buffers of the signature.
  size_t numBuffers() const { return callersBuffers; }
  /// Returns the layout of the buffers behind the signature.
  const BlockLayout &workspace() const { return workspaceLayout; }

  /// Returns the SHA-256 of name, plan and binary, and of the object's number
  /// if it has a launch at load: what it loads is its own.
  const std::string &hash() const { return contentHash; }

private:
  std::string shippedName;
  LaunchPlan launchPlan;
  std::string contentHash;
  size_t arguments = 0, callersBuffers = 0;
  BlockLayout workspaceLayout;
};

/// Returns true if the buffer is one that a call may allocate.
bool isResult(const BufferSpec &buffer);

} // namespace tonno::python

#endif // PYTHON_SRC_COMPILEDKERNEL_H
