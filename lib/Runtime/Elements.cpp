//===- Elements.cpp - Numbers as they lie in buffers ----------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/Elements.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

using namespace tonno;

/// Calls f with a value of the C++ type that holds one element.
template <typename F> static bool withCppType(ElementType type, F f) {
  switch (type) {
  case ElementType::f64:
    return f(double()), true;
  case ElementType::f32:
    return f(float()), true;
  case ElementType::i64:
    return f(int64_t()), true;
  case ElementType::i32:
    return f(int32_t()), true;
  case ElementType::i16:
    return f(int16_t()), true;
  case ElementType::i8:
    return f(int8_t()), true;
  case ElementType::f16:
  case ElementType::bf16:
  case ElementType::i1:
    return false;
  }
  return false;
}

bool tonno::isSupported(ElementType type) {
  return withCppType(type, [](auto) {});
}

bool tonno::isFloatingPoint(ElementType type) {
  return unitRoundoff(type) != 0;
}

double tonno::unitRoundoff(ElementType type) {
  switch (type) {
  case ElementType::f64:
    return 0x1p-53;
  case ElementType::f32:
    return 0x1p-24;
  case ElementType::f16:
    return 0x1p-11;
  case ElementType::bf16:
    return 0x1p-8;
  default:
    return 0;
  }
}

double tonno::largestExactInteger(ElementType type) {
  if (isFloatingPoint(type))
    return 1 / unitRoundoff(type);
  if (type == ElementType::i1)
    return 1;
  double bits = 8.0 * static_cast<double>(sizeOf(type)) - 1;
  return std::exp2(std::min(bits, 53.0)) - 1;
}

std::vector<std::byte> tonno::encode(ElementType type,
                                     std::span<const double> values) {
  std::vector<std::byte> bytes(values.size() * sizeOf(type));
  withCppType(type, [&](auto element) {
    for (size_t i = 0; i < values.size(); ++i) {
      element = static_cast<decltype(element)>(values[i]);
      std::memcpy(&bytes[i * sizeof element], &element, sizeof element);
    }
  });
  return bytes;
}

std::vector<double> tonno::decode(ElementType type,
                                  std::span<const std::byte> bytes) {
  std::vector<double> values(bytes.size() / sizeOf(type));
  withCppType(type, [&](auto element) {
    for (size_t i = 0; i < values.size(); ++i) {
      std::memcpy(&element, &bytes[i * sizeof element], sizeof element);
      values[i] = static_cast<double>(element);
    }
  });
  return values;
}
