//===- A simulated workgroup's memory -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimSharedMemory.h"

#include <algorithm>
#include <cstring>

using namespace tonno;

/// Not all ones, which a kernel may have read and written elsewhere; but NaN in
/// every width as well.
static constexpr uint16_t redzoneWord = 0xfff5;

SimSharedMemory::SimSharedMemory(const SimObject &object, uint64_t dynamicBytes)
    : areas(object.areas, object.areas + object.areaCount) {
  if (object.dynamic.start)
    areas.push_back({object.dynamic.start, dynamicBytes});
}

static uint8_t redzoneByte(const uint8_t *address) {
  return static_cast<uint8_t>(reinterpret_cast<uintptr_t>(address) & 1
                                  ? redzoneWord >> 8
                                  : redzoneWord);
}

static void fillRedzone(uint8_t *start) {
  for (uint8_t *at = start; at != start + simRedzoneBytes; ++at)
    *at = redzoneByte(at);
}

void SimSharedMemory::poison() const {
  for (const SimArea &area : areas) {
    std::memset(area.start, 0xff, area.bytes);
    fillRedzone(area.start - simRedzoneBytes);
    fillRedzone(area.start + area.bytes);
  }
}

/// The first byte of a redzone that has changed, or null.
static const uint8_t *findChange(const uint8_t *start) {
  const uint8_t *end = start + simRedzoneBytes;
  const uint8_t *at = start;
  while (at != end && *at == redzoneByte(at))
    ++at;
  return at == end ? nullptr : at;
}

std::optional<std::string> SimSharedMemory::findStrayWrite() const {
  auto describe = [](const SimArea &area, const std::string &where) {
    return "wrote " + where + " an area of " + std::to_string(area.bytes) +
           " bytes of shared memory";
  };
  for (const SimArea &area : areas) {
    if (const uint8_t *at = findChange(area.start - simRedzoneBytes))
      return describe(area, "as far as " + std::to_string(area.start - at) +
                                " bytes before");
    if (const uint8_t *at = findChange(area.start + area.bytes))
      return describe(area, std::to_string(at - area.start - area.bytes) +
                                " bytes behind");
  }
  return std::nullopt;
}
