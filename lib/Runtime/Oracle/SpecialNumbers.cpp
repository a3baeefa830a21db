//===- Floats from the whole range of a type ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SpecialNumbers.h"

#include "tonno/Runtime/Elements.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

using namespace tonno;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// Of f64, whose results nothing more precise tells: four factors don't
/// overflow.
static constexpr int largestExponentOfF64 = 200;
/// Of the type's exponents, how much a moderate number has.
static constexpr int moderateShare = 4;

namespace {

/// Draws numbers for a buffer of one type.
class FloatSource {
public:
  FloatSource(ElementType type, FloatRange range, std::mt19937_64 &generator)
      : type(type), range(range), generator(generator) {
    exponent = std::ilogb(largestFinite(type));
    if (type == ElementType::f64)
      exponent = largestExponentOfF64;
    if (range == FloatRange::moderate)
      exponent = std::ilogb(largestFinite(type)) / moderateShare;
  }

  /// `other` is a number that it may be close to.
  double draw(double other) {
    switch (generator() % 20) {
    case 0:
    case 1:
    case 2:
    case 3:
      return ofMagnitude(exponent);
    case 4:
    case 5:
    case 6:
    case 7:
      return ofMagnitude(std::min(exponent, 14));
    case 8:
    case 9:
    case 10:
      return uniform(100);
    case 11:
    case 12:
      return uniform(2);
    case 13:
    case 14:
      return std::round(uniform(128)) / 2;
    case 15:
    case 16:
      return range == FloatRange::moderate ? uniform(10) : boundary();
    case 17:
      return range == FloatRange::moderate ? uniform(20) : limit();
    default:
      return other * (1 + unitRoundoff(type) *
                              (static_cast<double>(generator() % 5) - 2));
    }
  }

  /// A number at an end of the range; that are few, so that two of them meet.
  /// What is infinite meets nothing that overflows: products and sums in one
  /// operation may not.
  double drawEnd() {
    if (generator() % 2)
      return uniform(20);
    const std::array<double, 7> numbers = {0,
                                           0,
                                           smallestSubnormal(type),
                                           smallestNormal(type),
                                           1 - unitRoundoff(type),
                                           infinity,
                                           notANumber};
    size_t finite = numbers.size() - 2;
    return withSign(
        numbers[generator() %
                (range == FloatRange::whole ? numbers.size() : finite)]);
  }

private:
  double uniform(double limit) {
    return std::min(limit, std::ldexp(1, exponent)) *
           (std::ldexp(static_cast<double>(generator() >> 11), -52) - 1);
  }
  double withSign(double number) { return generator() & 1 ? number : -number; }
  /// Log-uniform from 2^-most to 2^most.
  double ofMagnitude(int most) {
    uint64_t exponents = 2 * static_cast<uint64_t>(most) + 1;
    int drawn = static_cast<int>(generator() % exponents) - most;
    return withSign(std::ldexp(
        1 + static_cast<double>(generator() >> 12) * 0x1p-52, drawn));
  }
  /// Where rounding to integers and conversions to narrower types change.
  double boundary() {
    static constexpr std::array<double, 14> numbers = {
        127.5,  128,          255.5,      2048.5, 32767.5,      65504,  65520,
        0x1p23, 0x1p23 + 0.5, 0x1p24 + 2, 0x1p31, 0x1p31 - 128, 0x1p53, 0x1p63};
    return withSign(numbers[generator() % numbers.size()]);
  }
  /// Of the type's finite numbers.
  double limit() {
    const std::array<double, 5> numbers = {
        0, smallestSubnormal(type),
        smallestNormal(type) - smallestSubnormal(type), smallestNormal(type),
        largestFinite(type)};
    return withSign(numbers[generator() % numbers.size()]);
  }

  ElementType type;
  FloatRange range;
  std::mt19937_64 &generator;
  int exponent;
};

} // namespace

Values tonno::drawSpecial(const Signature &signature, const Values &given,
                          FloatRange range, bool areEnds,
                          std::mt19937_64 &generator) {
  Values values = given;
  std::vector<double> last;
  for (size_t i = 0; i < signature.size(); ++i) {
    ElementType type = signature[i].elementType;
    if (!isInput(signature[i]) || !values[i].empty() || !isFloatingPoint(type))
      continue;
    FloatSource source(type, range, generator);
    values[i].resize(signature[i].elements());
    for (size_t e = 0; e < values[i].size(); ++e) {
      double other = e < last.size() && generator() & 1 ? last[e]
                     : e > 0                            ? values[i][e - 1]
                                                        : 1;
      values[i][e] = areEnds && range != FloatRange::moderate
                         ? source.drawEnd()
                         : source.draw(other);
    }
    values[i] = decode(type, encode(type, values[i]));
    if (range != FloatRange::whole)
      for (double &x : values[i])
        x = std::clamp(x, lowestFinite(type), largestFinite(type));
    last = values[i];
  }
  return drawReals(signature, values, generator);
}

/// What may be alone in a line, those first that most depends on.
static std::vector<double> lonely(ElementType type, FloatRange range) {
  if (range == FloatRange::moderate)
    return {100, -100, 1e4, -1e4, 1e-6, -1e-6};
  // Eight of these don't overflow.
  double large = largestFinite(type) / 64;
  std::vector<double> numbers = {large, -large, 100,
                                 -100,  1e4,    -1e4,
                                 1e-6,  -0.0,   smallestNormal(type) / 2};
  if (range == FloatRange::whole)
    numbers.insert(numbers.begin(), {notANumber, infinity, -infinity});
  return numbers;
}

/// A whole line that is like none that is drawn.
static void changeLine(std::span<double> line, FloatRange range, size_t way) {
  bool isOdd = way / 6 % 2 == 1;
  for (double &x : line)
    switch (way % 6) {
    case 0:
      x = -std::fabs(x) - 0.5;
      break;
    case 1:
      x = std::ldexp(x, -10 * (1 + static_cast<int>(way / 6 % 4)));
      break;
    case 2: // beyond where a series is right, or a table ends
      x = isOdd ? x * 20 : x - 200;
      break;
    case 3:
      x = isOdd ? x * 80 : line.front();
      break;
    case 4:
      x = 0;
      break;
    default:
      x = range != FloatRange::whole ? x * 0x1p10
          : isOdd                    ? infinity
                                     : -infinity;
    }
}

void tonno::addSpecial(const BufferSpec &buffer, std::vector<double> &values,
                       FloatRange range, size_t number,
                       std::mt19937_64 &generator) {
  static constexpr size_t maxLines = 8;
  auto length =
      static_cast<size_t>(buffer.shape.empty() ? 1 : buffer.shape.back());
  size_t lines = values.size() / length;
  // Some lines stay as they are: whoever spoils these shows.
  size_t count = std::clamp<size_t>(lines / 4, 1, maxLines);
  std::vector<double> numbers = lonely(buffer.elementType, range);
  for (size_t n = 0; n < count; ++n) {
    size_t line = n * lines / count;
    values[line * length + generator() % length] =
        numbers[(number + n) % numbers.size()];
    if (lines > 1)
      changeLine(std::span(values).subspan((line + 1) * length, length), range,
                 number + n);
  }
  values = decode(buffer.elementType, encode(buffer.elementType, values));
}
