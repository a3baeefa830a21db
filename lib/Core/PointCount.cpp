//===- Numbers of points of a space ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/PointCount.h"

#include <cmath>

using namespace tonno;

static constexpr PointCount saturated = ~PointCount(0);
static constexpr PointCount mostShown = PointCount(1) << 64;
static constexpr const char *overMost = "over 2^64";

PointCount tonno::saturatingProduct(PointCount a, PointCount b) {
  PointCount product;
  return __builtin_mul_overflow(a, b, &product) ? saturated : product;
}

PointCount tonno::saturatingSum(PointCount a, PointCount b) {
  PointCount sum;
  return __builtin_add_overflow(a, b, &sum) ? saturated : sum;
}

std::string tonno::formatCount(PointCount count) {
  if (count < mostShown)
    return std::to_string(static_cast<uint64_t>(count));
  return count == mostShown ? "18446744073709551616" : overMost;
}

Json tonno::countToJson(PointCount count) {
  if (count < mostShown)
    return static_cast<uint64_t>(count);
  if (count == mostShown)
    return 0x1p64;
  return overMost;
}

Json tonno::countToJson(double count) {
  if (std::isfinite(count))
    return count;
  return overMost;
}
