//===- BufferSet.cpp - A plan's buffers on a device -----------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/BufferSet.h"

#include <algorithm>
#include <random>
#include <utility>

using namespace tonno;

static constexpr size_t redzoneBytes = 4096;
/// Starts differ within a page; the pages themselves are new with each set.
static constexpr size_t placementBytes = 4096;
static constexpr std::byte redzonePattern{0xA5};
static constexpr std::byte poison{0xFF};

Result<BufferSet, Failure> BufferSet::create(Device &device,
                                             const LaunchPlan &plan,
                                             uint64_t layoutSeed) {
  BufferSet set(device, plan);
  std::mt19937_64 generator(layoutSeed);
  std::vector<std::byte> redzone(redzoneBytes, redzonePattern);
  for (const BufferSpec &buffer : plan.buffers) {
    size_t alignment = std::max<size_t>(buffer.alignment, 1);
    auto memory = device.allocate(buffer.bytes() + 2 * redzoneBytes +
                                  placementBytes + alignment);
    if (!memory)
      return memory.error();
    set.allocations.push_back(*memory);
    auto start = reinterpret_cast<uintptr_t>(*memory) + redzoneBytes;
    start += generator() % placementBytes;
    start = (start + alignment - 1) / alignment * alignment;
    auto *first = reinterpret_cast<std::byte *>(start);
    set.data.push_back(first);
    for (std::byte *zone : {first - redzoneBytes, first + buffer.bytes()})
      if (auto uploaded = device.upload(zone, redzone); !uploaded)
        return uploaded.error();
  }
  return set;
}

BufferSet::BufferSet(BufferSet &&other) noexcept
    : device(other.device), buffers(std::move(other.buffers)),
      allocations(std::exchange(other.allocations, {})),
      data(std::move(other.data)) {}

BufferSet::~BufferSet() {
  for (DevicePointer memory : allocations)
    device->release(memory);
}

Result<void, Failure> BufferSet::fill(const BufferContents &contents) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    bool isRead = buffers[i].access == Access::read ||
                  buffers[i].access == Access::read_write;
    std::vector<std::byte> poisoned;
    if (!isRead)
      poisoned.assign(buffers[i].bytes(), poison);
    if (auto uploaded = device->upload(data[i], isRead ? contents[i] : poisoned);
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
