//===- Durations as text --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Duration.h"

#include <algorithm>
#include <cstdio>
#include <utility>

using namespace tonno;

std::string tonno::formatSeconds(double seconds, int digits) {
  static constexpr std::pair<double, const char *> units[] = {
      {1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
  for (auto [size, unit] : units)
    if (seconds >= size || size == 1e-9) {
      double value = seconds / size;
      int whole = value >= 100 ? 3 : value >= 10 ? 2 : 1;
      char text[32];
      std::snprintf(text, sizeof text, "%.*f %s", std::max(digits - whole, 0),
                    value, unit);
      return text;
    }
  return "0 s";
}
