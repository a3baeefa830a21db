//===- Comparison of outputs ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Agreement.h"
#include "tonno/Runtime/Elements.h"
#include "Oracle/InputData.h"

#include <cmath>

using namespace tonno;

static double toleranceOf(ElementType type) {
  if (!isFloatingPoint(type))
    return 0;
  return unitRoundoff(type) * (getByteSize(type) < 4 ? 8 : 1024);
}

Result<void> tonno::checkAgreement(const BufferSpec &buffer,
                                   std::span<const std::byte> expected,
                                   std::span<const std::byte> found) {
  std::vector<double> ours = decode(buffer.elementType, expected);
  std::vector<double> theirs = decode(buffer.elementType, found);
  double tolerance = toleranceOf(buffer.elementType);
  double scale = rootMeanSquare(ours);
  for (size_t i = 0; i < ours.size(); ++i)
    // No comparison holds for NaN.
    if (!(std::fabs(theirs[i] - ours[i]) <=
          tolerance * (scale + std::fabs(ours[i]))))
      return Error{buffer.name + " differs from the tuned kernel's: element " +
                   std::to_string(i) + " is " + std::to_string(theirs[i]) +
                   ", not " + std::to_string(ours[i])};
  return {};
}
