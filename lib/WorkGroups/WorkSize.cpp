//===- Numbers of work-items by dimension ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/WorkGroups/WorkSize.h"

#include <algorithm>
#include <limits>

using namespace tonno;

uint64_t tonno::countWorkItems(const WorkSize &size) {
  uint64_t items = 1;
  for (uint64_t extent : size)
    if (__builtin_mul_overflow(items, extent, &items))
      return std::numeric_limits<uint64_t>::max();
  return items;
}

std::string tonno::describe(const WorkSize &size) {
  if (size.size() == 1)
    return std::to_string(size[0]);
  std::string text;
  for (uint64_t extent : size)
    text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "(" + text + ")";
}

Result<void> tonno::checkWorkSize(const WorkSize &size,
                                  const std::string &what) {
  if (size.empty() || size.size() > 3)
    return Error{"a " + what + " has one to three dimensions, not " +
                 std::to_string(size.size())};
  if (std::ranges::find(size, 0) != size.end())
    return Error{"the " + what + " " + describe(size) + " has no work-item"};
  return {};
}
