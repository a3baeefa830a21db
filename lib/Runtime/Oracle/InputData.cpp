//===- What kernels are run on --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/InputData.h"
#include "tonno/Runtime/Elements.h"

#include <algorithm>
#include <cmath>

using namespace tonno;

bool tonno::isInput(const BufferSpec &buffer) {
  return buffer.access == Access::read || buffer.access == Access::read_write;
}

bool tonno::isOutput(const BufferSpec &buffer) {
  return buffer.access == Access::write || buffer.access == Access::read_write;
}

double tonno::largestMagnitude(std::span<const double> values) {
  double largest = 0;
  for (double value : values)
    largest = std::max(largest, std::fabs(value));
  return largest;
}

double tonno::rootMeanSquare(std::span<const double> values) {
  // Scaled by the largest, whose square may overflow.
  double largest = 0;
  for (double value : values)
    if (std::isfinite(value))
      largest = std::max(largest, std::fabs(value));
  if (largest == 0)
    return 0;
  double sum = 0;
  size_t finite = 0;
  for (double value : values)
    if (std::isfinite(value)) {
      sum += (value / largest) * (value / largest);
      ++finite;
    }
  return largest * std::sqrt(sum / static_cast<double>(finite));
}

/// Fills each input that is not given by draw(number of the input, its element
/// type).
template <typename Draw>
static Values drawAll(const Signature &signature, const Values &given,
                      Draw draw) {
  Values values = given;
  size_t number = 0;
  for (size_t i = 0; i < signature.size(); ++i) {
    ElementType type = signature[i].elementType;
    std::vector<double> &numbers = values[i];
    if (!isInput(signature[i]) || !numbers.empty())
      continue;
    numbers.resize(signature[i].elements());
    for (double &value : numbers)
      value = draw(number, type);
    ++number;
    // Rounded to what the buffer will hold.
    numbers = decode(type, encode(type, numbers));
  }
  return values;
}

Values tonno::drawSigns(const Signature &signature, const Values &given,
                        std::mt19937_64 &generator) {
  return drawAll(signature, given, [&](size_t, ElementType type) {
    bool isUp = generator() & 1;
    return isUp ? 1.0 : std::max(-1.0, lowestFinite(type));
  });
}

Values tonno::drawIntegers(const Signature &signature, const Values &given,
                           std::mt19937_64 &generator, double wide,
                           double narrow) {
  return drawAll(signature, given, [&](size_t number, ElementType type) {
    double limit =
        std::min(number % 2 == 0 ? wide : narrow, largestExactInteger(type));
    uint64_t drawn = generator();
    if (type == ElementType::i1)
      return static_cast<double>(drawn & 1);
    auto count = static_cast<uint64_t>(std::max(limit, 1.0));
    double magnitude = static_cast<double>((drawn >> 1) % count) + 1;
    return (drawn & 1) ? magnitude : -magnitude;
  });
}

Values tonno::drawReals(const Signature &signature, const Values &given,
                        std::mt19937_64 &generator) {
  return drawAll(signature, given, [&](size_t, ElementType type) {
    double value = static_cast<double>(generator() >> 11) * 0x1p-52 - 1;
    if (type == ElementType::i1)
      return value < 0 ? 0.0 : 1.0;
    return isFloatingPoint(type) ? value : std::round(value * 8);
  });
}

Values tonno::absolute(Values values) {
  for (std::vector<double> &numbers : values)
    for (double &value : numbers)
      value = std::fabs(value);
  return values;
}

BufferContents tonno::encodeAll(std::span<const BufferSpec> buffers,
                                const Values &values) {
  BufferContents contents;
  for (size_t i = 0; i < buffers.size(); ++i)
    contents.push_back(encode(buffers[i].elementType, values[i]));
  return contents;
}
