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

/// Values of a format besides finite numbers.
enum class Specials {
  ieee,       ///< infinities, and NaN of many payloads
  nan,        ///< one NaN of each sign: all bits of the magnitude are set
  nanForZero, ///< one NaN, in the place of -0; the bias is larger by 1
  none        ///< no others: overflow gives the largest number
};

/// Returns the bits of a magnitude with `fractionBits` of the fraction.
static uint64_t roundFraction(uint64_t magnitude, unsigned fractionBits) {
  unsigned dropped = doubleFraction - fractionBits;
  uint64_t odd = (magnitude >> dropped) & 1;
  return (magnitude + (uint64_t(1) << (dropped - 1)) - 1 + odd) >> dropped;
}

namespace {
/// A float of up to 16 bits, with a sign.
template <typename Bits, unsigned ExponentBits, unsigned FractionBits,
          Specials specials = Specials::ieee>
struct SmallFloat {
  /// The exponent of the smallest normal number, as of all subnormals.
  static constexpr int lowestExponent =
      (specials == Specials::nanForZero ? 1 : 2) - (1 << (ExponentBits - 1));
  static constexpr double smallestNormal = powerOfTwo(lowestExponent);
  static constexpr double smallestSubnormal =
      powerOfTwo(lowestExponent - static_cast<int>(FractionBits));
  static constexpr unsigned signBit = 1u << (ExponentBits + FractionBits);
  static constexpr unsigned largestMagnitude = signBit - 1;
  static constexpr unsigned infinity = largestMagnitude >> FractionBits
                                                               << FractionBits;
  static constexpr unsigned largestFinite =
      specials == Specials::ieee  ? infinity - 1
      : specials == Specials::nan ? largestMagnitude - 1
                                  : largestMagnitude;

  static SmallFloat of(double value) {
    unsigned sign = std::signbit(value) ? signBit : 0;
    double magnitude = std::fabs(value);
    if (std::isnan(value))
      return notANumber(sign);
    // Subnormals are multiples of one number; others keep a float's form.
    uint64_t bits = 0;
    if (magnitude < smallestNormal)
      bits =
          static_cast<uint64_t>(std::nearbyint(magnitude / smallestSubnormal));
    else
      bits = roundFraction(std::bit_cast<uint64_t>(magnitude), FractionBits) -
             (static_cast<uint64_t>(lowestExponent - 1 + doubleBias)
              << FractionBits);
    if (bits > largestFinite)
      return overflow(sign);
    if (specials == Specials::nanForZero && bits == 0)
      sign = 0;
    return {static_cast<Bits>(sign | bits)};
  }

  explicit operator double() const {
    unsigned magnitude = bits & largestMagnitude;
    unsigned exponent = magnitude >> FractionBits;
    unsigned fraction = magnitude & ((1u << FractionBits) - 1);
    double value = 0;
    if (isNan())
      value = std::numeric_limits<double>::quiet_NaN();
    else if (specials == Specials::ieee && magnitude == infinity)
      value = std::numeric_limits<double>::infinity();
    else if (exponent == 0)
      value = fraction * smallestSubnormal;
    else
      value = std::bit_cast<double>(
          static_cast<uint64_t>(static_cast<int>(exponent) + lowestExponent -
                                1 + doubleBias)
              << doubleFraction |
          static_cast<uint64_t>(fraction) << (doubleFraction - FractionBits));
    return std::copysign(value, bits & signBit ? -1.0 : 1.0);
  }

  Bits bits = 0;

private:
  static SmallFloat notANumber(unsigned sign) {
    switch (specials) {
    case Specials::ieee:
      return {static_cast<Bits>(sign | infinity | 1u << (FractionBits - 1))};
    case Specials::nan:
      return {static_cast<Bits>(sign | largestMagnitude)};
    case Specials::nanForZero:
      return {static_cast<Bits>(signBit)};
    case Specials::none:
      break;
    }
    return {static_cast<Bits>(sign)};
  }

  static SmallFloat overflow(unsigned sign) {
    if (specials == Specials::ieee)
      return {static_cast<Bits>(sign | infinity)};
    if (specials == Specials::none)
      return {static_cast<Bits>(sign | largestFinite)};
    return notANumber(sign);
  }

  bool isNan() const {
    unsigned magnitude = bits & largestMagnitude;
    switch (specials) {
    case Specials::ieee:
      return magnitude > infinity;
    case Specials::nan:
      return magnitude == largestMagnitude;
    case Specials::nanForZero:
      return bits == signBit;
    case Specials::none:
      break;
    }
    return bits >= 2 * signBit; // bits that no element has
  }
};
using F16 = SmallFloat<uint16_t, 5, 10>;
using BF16 = SmallFloat<uint16_t, 8, 7>;
using F8E4M3FN = SmallFloat<uint8_t, 4, 3, Specials::nan>;
using F8E5M2 = SmallFloat<uint8_t, 5, 2>;
using F8E4M3FNUZ = SmallFloat<uint8_t, 4, 3, Specials::nanForZero>;
using F8E5M2FNUZ = SmallFloat<uint8_t, 5, 2, Specials::nanForZero>;
using F6E2M3FN = SmallFloat<uint8_t, 2, 3, Specials::none>;
using F6E3M2FN = SmallFloat<uint8_t, 3, 2, Specials::none>;
using F4E2M1FN = SmallFloat<uint8_t, 2, 1, Specials::none>;

/// Power of two: an exponent, without sign and zero. Negative numbers become
/// NaN, and 0 becomes the smallest number.
struct F8E8M0FNU {
  static constexpr int bias = 127;
  static constexpr uint8_t nan = 255;

  static F8E8M0FNU of(double value) {
    if (std::isnan(value) || value < 0)
      return {nan};
    if (value <= powerOfTwo(-bias))
      return {0};
    // Halfway lies 1.5 times a power of two, which is rounded up.
    int exponent = std::isfinite(value) ? std::ilogb(value) : bias + 1;
    if (exponent > bias)
      return {nan};
    exponent += value >= 1.5 * powerOfTwo(exponent);
    return {static_cast<uint8_t>(exponent > bias ? nan : exponent + bias)};
  }

  explicit operator double() const {
    return bits == nan ? std::numeric_limits<double>::quiet_NaN()
                       : powerOfTwo(bits - bias);
  }

  uint8_t bits = 0;
};

/// An integer in the lower bits of a byte.
template <unsigned Width> struct SmallInteger {
  static constexpr int largest = (1 << (Width - 1)) - 1;

  static SmallInteger of(double value) {
    double held = std::isnan(value)
                      ? 0
                      : std::clamp<double>(value, -largest - 1, largest);
    return {static_cast<uint8_t>(static_cast<int>(held) & ((1 << Width) - 1))};
  }
  explicit operator double() const {
    int number = bits & ((1 << Width) - 1);
    return number > largest ? number - (1 << Width) : number;
  }

  uint8_t bits = 0;
};

/// A byte that is 0 or 1.
struct Boolean {
  static Boolean of(double value) { return {value != 0}; }
  explicit operator double() const { return byte; }

  uint8_t byte = 0;
};
} // namespace

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
  case ElementType::f8E4M3FN:
    return f(F8E4M3FN());
  case ElementType::f8E5M2:
    return f(F8E5M2());
  case ElementType::f8E4M3FNUZ:
    return f(F8E4M3FNUZ());
  case ElementType::f8E5M2FNUZ:
    return f(F8E5M2FNUZ());
  case ElementType::f8E8M0FNU:
    return f(F8E8M0FNU());
  case ElementType::f6E2M3FN:
    return f(F6E2M3FN());
  case ElementType::f6E3M2FN:
    return f(F6E3M2FN());
  case ElementType::f4E2M1FN:
    return f(F4E2M1FN());
  case ElementType::i64:
    return f(int64_t());
  case ElementType::i32:
    return f(int32_t());
  case ElementType::i16:
    return f(int16_t());
  case ElementType::i8:
    return f(int8_t());
  case ElementType::i4:
    return f(SmallInteger<4>());
  case ElementType::i2:
    return f(SmallInteger<2>());
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
  static constexpr std::array<FloatFormat, 13> formats = {
      {{0x1p-53, 0x1p-1074, 0x1p-1022, std::numeric_limits<double>::max()},
       {0x1p-24, 0x1p-149, 0x1p-126, std::numeric_limits<float>::max()},
       {0x1p-11, 0x1p-24, 0x1p-14, 65504},
       {0x1p-8, 0x1p-133, 0x1p-126, 0x1.FEp127},
       {0x1p-4, 0x1p-9, 0x1p-6, 448},
       {0x1p-3, 0x1p-16, 0x1p-14, 57344},
       {0x1p-4, 0x1p-10, 0x1p-7, 240},
       {0x1p-3, 0x1p-17, 0x1p-15, 57344},
       {0x1p-1, 0x1p-127, 0x1p-127, 0x1p127},
       {0x1p-4, 0x1p-3, 1, 7.5},
       {0x1p-3, 0x1p-4, 0x1p-2, 28},
       {0x1p-2, 0x1p-1, 1, 6},
       {}}};
  static_assert(static_cast<size_t>(ElementType::f4E2M1FN) == 11);
  return formats[std::min<size_t>(static_cast<size_t>(type), 12)];
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
    return std::min(1 / unitRoundoff(type), std::floor(largestFinite(type)));
  return std::min(largestFinite(type), 0x1p53 - 1);
}

double tonno::largestFinite(ElementType type) {
  if (isFloatingPoint(type))
    return getFormat(type).largest;
  if (type == ElementType::i1)
    return 1;
  if (type == ElementType::i64)
    return 0x1p63 - 1024; // a double has 53 of its 63 bits
  return std::exp2(bitWidth(type) - 1) - 1;
}

double tonno::lowestFinite(ElementType type) {
  if (!hasSign(type))
    return smallestNormal(type);
  if (isFloatingPoint(type))
    return -largestFinite(type);
  return type == ElementType::i1 ? 0 : -std::exp2(bitWidth(type) - 1);
}

bool tonno::hasSign(ElementType type) { return type != ElementType::f8E8M0FNU; }

bool tonno::hasNan(ElementType type) {
  return isFloatingPoint(type) && bitWidth(type) >= 8;
}

bool tonno::hasInfinity(ElementType type) {
  return isFloatingPoint(type) &&
         (bitWidth(type) > 8 || type == ElementType::f8E5M2);
}

bool tonno::isComputedInWiderType(ElementType type) {
  return isFloatingPoint(type) && bitWidth(type) <= 16 &&
         type != ElementType::bf16;
}

std::vector<std::byte> tonno::encode(ElementType type,
                                     std::span<const double> values) {
  std::vector<std::byte> bytes(values.size() * getByteSize(type));
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
  std::vector<double> values(bytes.size() / getByteSize(type));
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
/// Elements that are adjacent both in row-major order and in memory.
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
  Run run = {0, getByteSize(buffer.elementType)};
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
    // Advances to the next position; the last dimension varies fastest.
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
                                  getByteSize(buffer.elementType));
  std::byte *next = elements.data();
  forEachRun(buffer, [&](Run run) {
    std::memcpy(next, memory.data() + run.offset, run.bytes);
    next += run.bytes;
  });
  return elements;
}
