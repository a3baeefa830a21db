//===- Elements in memory -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/Elements.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tonno;

static constexpr unsigned doubleFraction = 52;
static constexpr int doubleBias = 1023;

/// Returns 2 to the power of a normal number's exponent.
static constexpr double powerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + doubleBias)
                               << doubleFraction);
}

namespace {
/// A float of 16 bits. `ExponentBits` tells the two apart.
template <unsigned ExponentBits> struct SmallFloat {
  static constexpr unsigned fractionBits = 15 - ExponentBits;
  /// The exponent of the smallest normal number, as of all subnormals.
  static constexpr int lowestExponent = 2 - (1 << (ExponentBits - 1));
  static constexpr double smallestNormal = powerOfTwo(lowestExponent);
  static constexpr double smallestSubnormal =
      powerOfTwo(lowestExponent - static_cast<int>(fractionBits));
  static constexpr uint16_t infinity = 0x7FFFu >> fractionBits << fractionBits;

  static SmallFloat of(double value);
  explicit operator double() const;

  uint16_t bits = 0;
};
using F16 = SmallFloat<5>;
using BF16 = SmallFloat<8>;

/// A byte that is 0 or 1.
struct Boolean {
  static Boolean of(double value) { return {value != 0}; }
  explicit operator double() const { return byte; }

  uint8_t byte = 0;
};
} // namespace

/// Returns the bits of a magnitude with `fractionBits` of the fraction.
static uint64_t roundFraction(uint64_t magnitude, unsigned fractionBits) {
  unsigned dropped = doubleFraction - fractionBits;
  uint64_t odd = (magnitude >> dropped) & 1;
  return (magnitude + (uint64_t(1) << (dropped - 1)) - 1 + odd) >> dropped;
}

template <unsigned ExponentBits>
SmallFloat<ExponentBits> SmallFloat<ExponentBits>::of(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::fabs(value);
  if (std::isnan(value))
    return {
        static_cast<uint16_t>(sign | infinity | (1u << (fractionBits - 1)))};
  // Subnormals are multiples of one number; others keep a float's form.
  uint64_t bits = 0;
  if (magnitude < smallestNormal)
    bits = static_cast<uint64_t>(std::nearbyint(magnitude / smallestSubnormal));
  else
    bits = roundFraction(std::bit_cast<uint64_t>(magnitude), fractionBits) -
           (static_cast<uint64_t>(lowestExponent - 1 + doubleBias)
            << fractionBits);
  return {static_cast<uint16_t>(sign | std::min<uint64_t>(bits, infinity))};
}

template <unsigned ExponentBits>
SmallFloat<ExponentBits>::operator double() const {
  int exponent = (bits & infinity) >> fractionBits;
  int fraction = bits & ((1 << fractionBits) - 1);
  double magnitude = 0;
  if ((bits & infinity) == infinity)
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0)
    magnitude = fraction * smallestSubnormal;
  else
    magnitude = std::bit_cast<double>(
        static_cast<uint64_t>(exponent + lowestExponent - 1 + doubleBias)
            << doubleFraction |
        static_cast<uint64_t>(fraction) << (doubleFraction - fractionBits));
  return std::copysign(magnitude, bits & 0x8000 ? -1.0 : 1.0);
}

/// Calls f with a value of the C++ type that holds one element.
template <typename F> static auto withCppType(ElementType type, F f) {
  switch (type) {
  case ElementType::f64:
    return f(double());
  case ElementType::f32:
    return f(float());
  case ElementType::f16:
    return f(F16());
  case ElementType::bf16:
    return f(BF16());
  case ElementType::i64:
    return f(int64_t());
  case ElementType::i32:
    return f(int32_t());
  case ElementType::i16:
    return f(int16_t());
  case ElementType::i8:
    return f(int8_t());
  case ElementType::i1:
    break;
  }
  return f(Boolean());
}

/// Rounds as `encode` says.
template <typename T> static T convert(double value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else if constexpr (std::is_integral_v<T>) {
    // Compared first: a cast from out of range is undefined.
    if (value >= std::exp2(std::numeric_limits<T>::digits))
      return std::numeric_limits<T>::max();
    if (value <= static_cast<double>(std::numeric_limits<T>::min()))
      return std::numeric_limits<T>::min();
    return std::isnan(value) ? T(0) : static_cast<T>(value);
  } else {
    return T::of(value);
  }
}

namespace {
struct FloatFormat {
  double roundoff, smallestSubnormal, smallestNormal, largest;
};
} // namespace

/// Returns the format of a floating-point type, and zeros for integers.
static const FloatFormat &getFormat(ElementType type) {
  static constexpr std::array<FloatFormat, 5> formats = {
      {{0x1p-53, 0x1p-1074, 0x1p-1022, std::numeric_limits<double>::max()},
       {0x1p-24, 0x1p-149, 0x1p-126, std::numeric_limits<float>::max()},
       {0x1p-11, 0x1p-24, 0x1p-14, 65504},
       {0x1p-8, 0x1p-133, 0x1p-126, 0x1.FEp127},
       {}}};
  static_assert(static_cast<size_t>(ElementType::bf16) == 3);
  return formats[std::min<size_t>(static_cast<size_t>(type), 4)];
}

bool tonno::isFloatingPoint(ElementType type) {
  return getFormat(type).roundoff != 0;
}

double tonno::unitRoundoff(ElementType type) {
  return getFormat(type).roundoff;
}

double tonno::smallestSubnormal(ElementType type) {
  return getFormat(type).smallestSubnormal;
}

double tonno::smallestNormal(ElementType type) {
  return getFormat(type).smallestNormal;
}

double tonno::largestExactInteger(ElementType type) {
  if (isFloatingPoint(type))
    return 1 / unitRoundoff(type);
  return std::min(largestFinite(type), 0x1p53 - 1);
}

double tonno::largestFinite(ElementType type) {
  if (isFloatingPoint(type))
    return getFormat(type).largest;
  if (type == ElementType::i1)
    return 1;
  if (type == ElementType::i64)
    return 0x1p63 - 1024; // a double has 53 of its 63 bits
  return std::exp2(8.0 * static_cast<double>(sizeOf(type)) - 1) - 1;
}

double tonno::lowestFinite(ElementType type) {
  if (isFloatingPoint(type))
    return -largestFinite(type);
  return type == ElementType::i1
             ? 0
             : -std::exp2(8.0 * static_cast<double>(sizeOf(type)) - 1);
}

std::vector<std::byte> tonno::encode(ElementType type,
                                     std::span<const double> values) {
  std::vector<std::byte> bytes(values.size() * sizeOf(type));
  withCppType(type, [&](auto element) {
    for (size_t i = 0; i < values.size(); ++i) {
      element = convert<decltype(element)>(values[i]);
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

void tonno::roundTo(ElementType type, std::vector<double> &values) {
  values = decode(type, encode(type, values));
}

namespace {
/// Elements that lie side by side in row-major order and in memory.
struct Run {
  size_t offset; ///< of the first in memory, in bytes
  size_t bytes;
};
} // namespace

/// Calls visit with each run, in row-major order.
template <typename Visit>
static void forEachRun(const BufferSpec &buffer, Visit visit) {
  size_t dimensions = buffer.shape.size();
  uint64_t runs = buffer.elements();
  Run run = {0, sizeOf(buffer.elementType)};
  std::vector<size_t> steps;
  for (int64_t stride : buffer.strides)
    steps.push_back(static_cast<size_t>(stride) * run.bytes);
  if (dimensions > 0 && buffer.strides.back() == 1) {
    auto extent = static_cast<uint64_t>(buffer.shape[--dimensions]);
    run.bytes *= extent;
    runs /= extent;
  }
  std::vector<int64_t> position(dimensions, 0);
  for (; runs > 0; --runs) {
    visit(run);
    // To the next position, of which the last dimension turns fastest.
    for (size_t d = dimensions; d-- > 0;) {
      run.offset += steps[d];
      if (++position[d] < buffer.shape[d])
        break;
      run.offset -= steps[d] * static_cast<size_t>(position[d]);
      position[d] = 0;
    }
  }
}

std::vector<std::byte> tonno::scatter(const BufferSpec &buffer,
                                      std::span<const std::byte> elements,
                                      std::byte gap) {
  if (buffer.isDense() || elements.empty())
    return {elements.begin(), elements.end()};
  std::vector<std::byte> memory(buffer.bytes(), gap);
  const std::byte *next = elements.data();
  forEachRun(buffer, [&](Run run) {
    std::memcpy(memory.data() + run.offset, next, run.bytes);
    next += run.bytes;
  });
  return memory;
}

std::vector<std::byte> tonno::gather(const BufferSpec &buffer,
                                     std::span<const std::byte> memory) {
  if (buffer.isDense() || memory.empty())
    return {memory.begin(), memory.end()};
  std::vector<std::byte> elements(buffer.elements() *
                                  sizeOf(buffer.elementType));
  std::byte *next = elements.data();
  forEachRun(buffer, [&](Run run) {
    std::memcpy(next, memory.data() + run.offset, run.bytes);
    next += run.bytes;
  });
  return elements;
}
