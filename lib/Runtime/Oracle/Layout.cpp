//===- Elements in strided memory -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/Layout.h"

#include <cstring>

using namespace tonno;

namespace {
/// Elements that lie side by side in row-major order and in memory.
struct Run {
  size_t offset; ///< of the first in memory, in bytes
  size_t bytes;
};
} // namespace

/// Calls visit with each run, in row-major order.
template <typename Visit>
static void forEachRun(const BufferSpec &buffer, Visit visit) {
  size_t dimensions = buffer.shape.size();
  uint64_t runs = buffer.elements();
  Run run = {0, sizeOf(buffer.elementType)};
  std::vector<size_t> steps;
  for (int64_t stride : buffer.strides)
    steps.push_back(static_cast<size_t>(stride) * run.bytes);
  if (dimensions > 0 && buffer.strides.back() == 1) {
    auto extent = static_cast<uint64_t>(buffer.shape[--dimensions]);
    run.bytes *= extent;
    runs /= extent;
  }
  std::vector<int64_t> position(dimensions, 0);
  for (; runs > 0; --runs) {
    visit(run);
    // To the next position, of which the last dimension turns fastest.
    for (size_t d = dimensions; d-- > 0;) {
      run.offset += steps[d];
      if (++position[d] < buffer.shape[d])
        break;
      run.offset -= steps[d] * static_cast<size_t>(position[d]);
      position[d] = 0;
    }
  }
}

std::vector<std::byte> tonno::scatter(const BufferSpec &buffer,
                                      std::span<const std::byte> elements,
                                      std::byte gap) {
  if (buffer.isDense() || elements.empty())
    return {elements.begin(), elements.end()};
  std::vector<std::byte> memory(buffer.bytes(), gap);
  const std::byte *next = elements.data();
  forEachRun(buffer, [&](Run run) {
    std::memcpy(memory.data() + run.offset, next, run.bytes);
    next += run.bytes;
  });
  return memory;
}

std::vector<std::byte> tonno::gather(const BufferSpec &buffer,
                                     std::span<const std::byte> memory) {
  if (buffer.isDense() || memory.empty())
    return {memory.begin(), memory.end()};
  std::vector<std::byte> elements(buffer.elements() *
                                  sizeOf(buffer.elementType));
  std::byte *next = elements.data();
  forEachRun(buffer, [&](Run run) {
    std::memcpy(next, memory.data() + run.offset, run.bytes);
    next += run.bytes;
  });
  return elements;
}
