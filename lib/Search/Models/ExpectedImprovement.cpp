//===- How much better a point may be -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/ExpectedImprovement.h"

#include <cmath>
#include <numbers>

double tonno::expectedImprovement(double mean, double deviation, double best) {
  double z = (mean - best) / deviation;
  double below = std::erfc(-z / std::numbers::sqrt2) / 2;
  double density =
      std::exp(-z * z / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  return ((mean - best) * below) + (deviation * density);
}
