//===- Shared memory as seen beside simulated threads ---------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimPublishedMemory.h"

#include "tonno/Runtime/Elements.h"

#include <algorithm>
#include <cstring>

using namespace tonno;

static constexpr uint64_t chunkBytes = MatrixDescriptor::chunkBytes;

SimPublishedMemory::SimPublishedMemory(std::span<const SimArea> areas,
                                       size_t threads)
    : unpublished(threads) {
  for (const SimArea &area : areas)
    views.push_back({area, std::vector<uint8_t>(area.bytes)});
}

void SimPublishedMemory::clear() {
  for (View &view : views)
    std::ranges::fill(view.published, uint8_t(0xff));
  std::ranges::fill(unpublished, Written());
}

void SimPublishedMemory::wrote(uint32_t thread, const void *to,
                               uint64_t bytes) {
  if (!views.empty())
    unpublished[thread].emplace_back(static_cast<const uint8_t *>(to), bytes);
}

void SimPublishedMemory::publish(uint32_t thread) {
  for (auto [start, bytes] : unpublished[thread])
    for (View &view : views)
      if (start >= view.area.start &&
          start + bytes <= view.area.start + view.area.bytes)
        std::memcpy(view.published.data() + (start - view.area.start), start,
                    bytes);
  unpublished[thread].clear();
}

std::optional<SimPublishedMemory::Place>
SimPublishedMemory::find(uint64_t address, uint64_t bytes) const {
  constexpr uint64_t mask = (1 << 18) - 1;
  for (const View &view : views) {
    uint64_t offset =
        (address - reinterpret_cast<uintptr_t>(view.area.start)) & mask;
    if (offset + bytes <= view.area.bytes)
      return Place{view.area.start + offset, view.published.data() + offset};
  }
  return std::nullopt;
}

std::string SimPublishedMemory::describe(const void *address) const {
  auto *byte = static_cast<const uint8_t *>(address);
  for (const View &view : views)
    if (byte >= view.area.start && byte < view.area.start + view.area.bytes)
      return "byte " + std::to_string(byte - view.area.start);
  return "an address outside";
}

void SimReading::add(const uint8_t *actual) {
  Piece &piece = pieces.emplace_back();
  piece.actual = actual;
  std::memcpy(piece.bytes, actual, chunkBytes);
}

bool SimReading::isUnchanged() {
  bool isSame = std::ranges::all_of(pieces, [](const Piece &piece) {
    return std::memcmp(piece.actual, piece.bytes, chunkBytes) == 0;
  });
  pieces.clear();
  return isSame;
}

std::string SimFactor::read(const SimPublishedMemory &memory,
                            SimReading &reading) {
  std::string what = std::string("the ") + name + " factor's descriptor";
  if (descriptor.rowBytes > 128)
    return what + " has no swizzle, which is not simulated";
  if (descriptor.baseOffset != 0)
    return what + " has a base offset, which is not simulated";
  auto perChunk = static_cast<uint32_t>(chunkBytes / getByteSize(type));
  bool isAlongSide = descriptor.runsAlongSide;
  uint32_t along = isAlongSide ? side : depth,
           across = isAlongSide ? depth : side;
  std::vector<uint8_t> published;
  for (uint32_t line = 0; line < across; ++line)
    for (uint32_t chunk = 0; chunk < along / perChunk; ++chunk) {
      uint64_t address =
          descriptor.address(chunk + (isAlongSide ? first / perChunk : 0),
                             line + (isAlongSide ? 0 : first));
      auto place = memory.find(address, chunkBytes);
      if (!place)
        return what + " reaches beyond shared memory";
      reading.add(place->actual);
      published.insert(published.end(), place->published,
                       place->published + chunkBytes);
    }
  elements = decode(type, std::as_bytes(std::span(published)));
  if (!isAlongSide)
    return {};
  std::vector<double> transposed(elements.size());
  for (uint32_t line = 0; line < across; ++line)
    for (uint32_t column = 0; column < along; ++column)
      transposed[size_t(column) * across + line] =
          elements[size_t(line) * along + column];
  elements = std::move(transposed);
  return {};
}
