//===- BufferSet.h - A plan's buffers on a device ---------------*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_RUNTIME_BUFFERSET_H
#define TONNO_RUNTIME_BUFFERSET_H

#include "tonno/Runtime/Device.h"

#include <cstddef>
#include <vector>

namespace tonno {

/// The contents of a plan's buffers in the host's memory, in the plan's order.
using BufferContents = std::vector<std::vector<std::byte>>;

/// A plan's buffers on a device. In front of and behind each lies a redzone
/// with a known pattern: a launch that writes there is found out.
class BufferSet {
public:
  /// The seed draws where in its memory each buffer starts, at a multiple of
  /// its alignment: the same code differs by up to 2 % between placements.
  static Result<BufferSet, Failure>
  create(Device &device, const LaunchPlan &plan, uint64_t layoutSeed);
  BufferSet(BufferSet &&) noexcept;
  BufferSet &operator=(BufferSet &&) = delete;
  ~BufferSet();

  std::span<const DevicePointer> pointers() const { return data; }

  /// Uploads the contents of every buffer that the kernel reads, and poisons
  /// those it only writes: all bits set, which is NaN in every float.
  Result<void, Failure> fill(const BufferContents &contents);

  Result<BufferContents, Failure> download() const;

  /// A Failure out_of_bounds that names the buffer and side if a redzone has
  /// changed.
  Result<void, Failure> checkRedzones() const;

private:
  BufferSet(Device &device, const LaunchPlan &plan)
      : device(&device), buffers(plan.buffers) {}

  Device *device;
  std::vector<BufferSpec> buffers;
  std::vector<DevicePointer> allocations;
  std::vector<DevicePointer> data;
};

} // namespace tonno

#endif // TONNO_RUNTIME_BUFFERSET_H
