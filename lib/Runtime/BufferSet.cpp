//===- BufferSet.cpp - A plan's buffers on a device -----------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/BufferSet.h"

#include <algorithm>

using namespace tonno;

static constexpr size_t redzoneBytes = 4096;
/// Starts differ within a page; which pages, the block's address decides.
static constexpr size_t placementBytes = 4096;
/// Huge in f32, f64 and bf16, NaN in f16, large in every integer: who reads too
/// far gets a result that shows. (Of 0xA5 a float is 3e-16, which vanishes.)
static constexpr std::byte redzonePattern{0x7F};
static constexpr std::byte poison{0xFF};

Result<DeviceBlock, Failure> DeviceBlock::allocate(Device &device,
                                                   size_t bytes) {
  auto memory = device.allocate(bytes);
  if (!memory)
    return memory.error();
  return DeviceBlock(device, *memory);
}

/// Room for one buffer: its redzones, and where it may start between them.
static size_t bytesFor(const BufferSpec &buffer) {
  return buffer.bytes() + 2 * redzoneBytes + placementBytes + buffer.alignment;
}

size_t BufferSet::bytesFor(const LaunchPlan &plan) {
  size_t bytes = 0;
  for (const BufferSpec &buffer : plan.buffers)
    bytes += ::bytesFor(buffer);
  return bytes;
}

Result<BufferSet, Failure> BufferSet::place(Device &device,
                                            const LaunchPlan &plan,
                                            DevicePointer block,
                                            std::mt19937_64 &generator) {
  BufferSet set(device, plan);
  std::vector<std::byte> redzone(redzoneBytes, redzonePattern);
  auto free = reinterpret_cast<uintptr_t>(block);
  for (const BufferSpec &buffer : plan.buffers) {
    size_t alignment = std::max<size_t>(buffer.alignment, 1);
    uintptr_t start = free + redzoneBytes + generator() % placementBytes;
    start = (start + alignment - 1) / alignment * alignment;
    free += ::bytesFor(buffer);
    auto *first = reinterpret_cast<std::byte *>(start);
    set.data.push_back(first);
    for (std::byte *zone : {first - redzoneBytes, first + buffer.bytes()})
      if (auto uploaded = device.upload(zone, redzone); !uploaded)
        return uploaded.error();
  }
  return set;
}

Result<void, Failure> BufferSet::fill(const BufferContents &contents) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    bool isRead = buffers[i].access == Access::read ||
                  buffers[i].access == Access::read_write;
    std::vector<std::byte> poisoned;
    if (!isRead)
      poisoned.assign(buffers[i].bytes(), poison);
    if (auto uploaded =
            device->upload(data[i], isRead ? contents[i] : poisoned);
        !uploaded)
      return uploaded;
  }
  return {};
}

Result<BufferContents, Failure> BufferSet::download() const {
  BufferContents contents;
  for (size_t i = 0; i < buffers.size(); ++i) {
    auto &bytes = contents.emplace_back(buffers[i].bytes());
    if (auto downloaded = device->download(bytes, data[i]); !downloaded)
      return downloaded.error();
  }
  return contents;
}

Result<void, Failure> BufferSet::checkRedzones() const {
  std::vector<std::byte> zone(redzoneBytes);
  for (size_t i = 0; i < buffers.size(); ++i) {
    auto *first = static_cast<std::byte *>(data[i]);
    for (bool behind : {false, true}) {
      std::byte *start =
          behind ? first + buffers[i].bytes() : first - redzoneBytes;
      if (auto downloaded = device->download(zone, start); !downloaded)
        return downloaded;
      if (std::any_of(zone.begin(), zone.end(),
                      [](std::byte b) { return b != redzonePattern; }))
        return Failure{Status::out_of_bounds,
                       std::string("wrote ") +
                           (behind ? "behind the end" : "before the start") +
                           " of " + buffers[i].name};
    }
  }
  return {};
}
