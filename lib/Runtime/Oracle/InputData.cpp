//===- Input data of kernels ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "InputData.h"
#include "tonno/Runtime/Elements.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <numeric>
#include <sstream>

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

/// Fills each input that is not given by draw(number, element type).
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
    if (!hasSign(type))
      for (double &value : numbers)
        value = std::fabs(value);
    roundTo(type, numbers);
  }
  return values;
}

Values tonno::drawSigns(const Signature &signature, const Values &given,
                        std::mt19937_64 &generator) {
  return drawAll(signature, given, [&](size_t, ElementType type) {
    bool isUp = generator() & 1;
    return isUp || !hasSign(type) ? 1.0 : std::max(-1.0, lowestFinite(type));
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

/// Returns the magnitude of integers beside reals; less if the type's is.
static double integerMagnitude(ElementType type) {
  return std::min(8.0, largestFinite(type));
}

Values tonno::drawReals(const Signature &signature, const Values &given,
                        std::mt19937_64 &generator) {
  return drawAll(signature, given, [&](size_t, ElementType type) {
    double value = static_cast<double>(generator() >> 11) * 0x1p-52 - 1;
    if (type == ElementType::i1)
      return value < 0 ? 0.0 : 1.0;
    return isFloatingPoint(type) ? value
                                 : std::round(value * integerMagnitude(type));
  });
}

BufferContents tonno::encodeAll(std::span<const BufferSpec> buffers,
                                const Values &values) {
  BufferContents contents;
  for (size_t i = 0; i < buffers.size(); ++i)
    contents.push_back(encode(buffers[i].elementType, values[i]));
  return contents;
}

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// Limit on drawn f64 exponents, so that products of four factors do not
/// overflow: nothing more precise could check them.
static constexpr int largestExponentOfF64 = 200;
/// Divisor of the type's exponent range for moderate numbers.
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

  /// Draws a number, which may be close to `other`.
  double draw(double other) {
    bool isModerate = range == FloatRange::moderate;
    uint64_t way = generator() % 20;
    if (way < 4)
      return ofMagnitude(exponent);
    if (way < 8)
      return ofMagnitude(std::min(exponent, 14));
    if (way < 11)
      return uniform(100);
    if (way < 13)
      return uniform(2);
    if (way < 15)
      return std::round(uniform(128)) / 2;
    if (way < 17)
      return isModerate ? uniform(10) : boundary();
    if (way < 18)
      return isModerate ? uniform(20) : limit();
    return other * (1 + unitRoundoff(type) *
                            (static_cast<double>(generator() % 5) - 2));
  }

  /// Draws an end of the range; few, so that two of them meet. Infinity meets
  /// nothing that overflows, since one operation may add and multiply.
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
  /// Draws a log-uniform number from 2^-most to 2^most.
  double ofMagnitude(int most) {
    uint64_t exponents = 2 * static_cast<uint64_t>(most) + 1;
    int drawn = static_cast<int>(generator() % exponents) - most;
    return withSign(std::ldexp(
        1 + static_cast<double>(generator() >> 12) * 0x1p-52, drawn));
  }
  /// Draws a number at which rounding to integers or conversion to a narrower
  /// type changes.
  double boundary() {
    static constexpr std::array<double, 14> numbers = {
        127.5,  128,          255.5,      2048.5, 32767.5,      65504,  65520,
        0x1p23, 0x1p23 + 0.5, 0x1p24 + 2, 0x1p31, 0x1p31 - 128, 0x1p53, 0x1p63};
    return withSign(numbers[generator() % numbers.size()]);
  }
  /// Draws a limit of the type's finite numbers.
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
    // Overflow becomes NaN in a type without infinity.
    bool isClamped = range != FloatRange::whole || !hasInfinity(type);
    for (double &x : values[i]) {
      if (!hasSign(type))
        x = std::fabs(x);
      if (isClamped && (std::isfinite(x) || range != FloatRange::whole))
        x = std::clamp(x, lowestFinite(type), largestFinite(type));
    }
    roundTo(type, values[i]);
    last = values[i];
  }
  return drawReals(signature, values, generator);
}

Values tonno::drawCancelling(const Signature &signature, const Values &given,
                             std::mt19937_64 &generator) {
  constexpr size_t farthest = 64;
  std::uniform_real_distribution<double> uniform(1, 2);
  Values values = given;
  for (size_t i = 0; i < signature.size(); ++i) {
    ElementType type = signature[i].elementType;
    if (!isInput(signature[i]) || !values[i].empty() || !isFloatingPoint(type))
      continue;
    values[i].resize(signature[i].elements());
    // Products of two such numbers stay within the type's range.
    int most = std::min(-std::ilogb(unitRoundoff(type)),
                        std::ilogb(largestFinite(type)) / 3);
    for (size_t e = 0; e < values[i].size(); ++e) {
      uint64_t bits = generator();
      size_t before = bits & 2 ? 1 : 1 + (bits >> 8) % farthest;
      if (bits & 1 && before <= e && hasSign(type)) {
        values[i][e] = -values[i][e - before];
        continue;
      }
      int exponent = static_cast<int>((bits >> 16) % (most + 1)) - most / 2;
      values[i][e] = std::ldexp(
          uniform(generator) * (bits & 4 && hasSign(type) ? -1 : 1), exponent);
    }
    roundTo(type, values[i]);
  }
  return drawReals(signature, values, generator);
}

BufferContents tonno::drawAnyBits(const Signature &signature,
                                  const Values &given,
                                  std::mt19937_64 &generator) {
  BufferContents contents =
      encodeAll(signature, drawReals(signature, given, generator));
  for (size_t i = 0; i < signature.size(); ++i) {
    ElementType type = signature[i].elementType;
    if (!isInput(signature[i]) || !given[i].empty() || !isFloatingPoint(type))
      continue;
    // The bits of a narrower type than a byte are its lowest.
    auto mask = static_cast<unsigned>((1u << std::min(8u, bitWidth(type))) - 1);
    for (std::byte &byte : contents[i])
      byte = std::byte(generator() & mask);
  }
  return contents;
}

/// Returns the special numbers that are put into lines one by one, the most
/// revealing first.
static std::vector<double> getIsolatedSpecials(ElementType type,
                                               FloatRange range) {
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

/// Rounds finite numbers to numbers that the type has.
static void fitFinite(ElementType type, std::vector<double> &values) {
  for (double &x : values) {
    if (!hasSign(type))
      x = std::fabs(x);
    if (std::isfinite(x))
      x = std::clamp(x, lowestFinite(type), largestFinite(type));
  }
  roundTo(type, values);
}

/// Changes a whole line to values that drawn lines do not have.
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

void tonno::putSpecial(const BufferSpec &buffer, std::vector<double> &values,
                       FloatRange range, size_t number,
                       std::mt19937_64 &generator) {
  static constexpr size_t maxLines = 8;
  auto length =
      static_cast<size_t>(buffer.shape.empty() ? 1 : buffer.shape.back());
  size_t lines = values.size() / length;
  // Leaves some lines unchanged, so that an effect on them is detected.
  size_t count = std::clamp<size_t>(lines / 4, 1, maxLines);
  std::vector<double> numbers = getIsolatedSpecials(buffer.elementType, range);
  for (size_t n = 0; n < count; ++n) {
    size_t line = n * lines / count;
    values[line * length + generator() % length] =
        numbers[(number + n) % numbers.size()];
    if (lines > 1)
      changeLine(std::span(values).subspan((line + 1) * length, length), range,
                 number + n);
  }
  if (hasInfinity(buffer.elementType))
    roundTo(buffer.elementType, values);
  else
    fitFinite(buffer.elementType, values);
}

/// Elements of one way in a buffer of one dimension.
static constexpr size_t blockElements = 256;
/// Number of adjacent elements with one sign in lines whose sums rise and fall.
static constexpr size_t runElements = 16;

std::string_view tonno::toString(IntegerData data) {
  static constexpr std::array<std::string_view, std::size(allIntegerData)>
      names = {"mixed",    "lines", "lines across", "least",      "largest",
               "all ones", "ends",  "clustered",    "consecutive"};
  return names[static_cast<size_t>(data)];
}

namespace {

/// Draws numbers of one width, as bits.
class IntegerSource {
public:
  IntegerSource(unsigned width, std::mt19937_64 &generator)
      : width(width), generator(generator) {
    clusterBase = largest() - drawLength(width / 2);
  }

  uint64_t mask() const { return width == 64 ? ~0ull : (1ull << width) - 1; }
  uint64_t largest() const { return mask() >> 1; }
  uint64_t least() const { return largest() + 1; }

  /// Draws a number, which may be close to `other`.
  uint64_t mixed(uint64_t other) {
    switch (generator() % 8) {
    case 0:
    case 1:
      return generator();
    case 2:
    case 3:
      return withSign(drawLength(width));
    case 4:
      return end();
    case 5:
      return withSign(power());
    case 6:
      return generator() % 256 - 128;
    default:
      return generator() & 1 ? other + generator() % 5 - 2
                             : other ^ drawLength(width);
    }
  }

  uint64_t ends() {
    uint64_t next = generator() & 1; // to the end itself
    return generator() & 1 ? least() + next : largest() - next;
  }
  uint64_t clustered() {
    return clusterBase - generator() % (width > 8 ? 256 : 8);
  }

private:
  /// Draws a number with a random number of bits: small ones are as likely as
  /// large ones.
  uint64_t drawLength(unsigned most) {
    auto bits = static_cast<unsigned>(generator() % (most + 1));
    return bits == 0 ? 0
                     : (generator() & ((1ull << (bits - 1)) - 1)) |
                           (1ull << (bits - 1));
  }
  uint64_t withSign(uint64_t number) {
    return generator() & 1 ? number : -number;
  }
  uint64_t end() {
    const std::array<uint64_t, 8> numbers = {
        least(), least() + 1, largest(), largest() - 1, ~0ull, 0, 1, 2};
    return numbers[generator() % numbers.size()];
  }
  /// Draws a power of two, one less, or a sum of two.
  uint64_t power() {
    uint64_t first = 1ull << generator() % width;
    switch (generator() % 3) {
    case 0:
      return first;
    case 1:
      return first - 1;
    default:
      return first + (1ull << generator() % width);
    }
  }

  unsigned width;
  std::mt19937_64 &generator;
  uint64_t clusterBase;
};

/// Position of an element in its line, and the number of that line.
struct LinePosition {
  size_t line, position, length;
};

} // namespace

static LinePosition locateElement(const BufferSpec &buffer, size_t element,
                                  bool isAcross) {
  size_t count = buffer.elements();
  if (buffer.shape.size() < 2)
    return {element / blockElements, element % blockElements,
            std::min(count, blockElements)};
  auto extent = static_cast<size_t>(isAcross ? buffer.shape.front()
                                             : buffer.shape.back());
  size_t lines = count / extent;
  return isAcross ? LinePosition{element % lines, element / lines, extent}
                  : LinePosition{element / extent, element % extent, extent};
}

static uint64_t drawOne(IntegerSource &source, IntegerData data,
                        const BufferSpec &buffer, size_t element, bool isOdd,
                        uint64_t other) {
  switch (data) {
  case IntegerData::mixed:
    return source.mixed(other);
  case IntegerData::least:
    return source.least();
  case IntegerData::largest:
    return source.largest();
  case IntegerData::allOnes:
    return source.mask();
  case IntegerData::ends:
    return source.ends();
  case IntegerData::clustered:
    return source.clustered();
  case IntegerData::consecutive:
    return isOdd ? source.mixed(other) : element - buffer.elements() / 2;
  case IntegerData::lines:
  case IntegerData::linesAcross:
    break;
  }
  // One factor of a product is summed along its lines, the other across.
  bool isAcross = (data == IntegerData::linesAcross) != isOdd;
  auto [line, position, length] = locateElement(buffer, element, isAcross);
  switch (line % 10) {
  case 5: // a sum goes far up, and down again
    return 3 * position < 2 * length ? source.largest() : source.least();
  case 6:
    return position / runElements % 2 ? source.least() : source.largest();
  case 7: // counts of flags are odd here, if they are even where all are set
    return position == length / 3 ? 0 : 1;
  case 8: // less than which nothing is without a sign
    return 0;
  case 9:
    return source.mixed(other);
  default:
    static constexpr IntegerData whole[] = {
        IntegerData::least, IntegerData::largest, IntegerData::allOnes,
        IntegerData::ends, IntegerData::clustered};
    return drawOne(source, whole[line % 10], buffer, element, isOdd, other);
  }
}

static std::vector<std::byte> pack(ElementType type,
                                   std::span<const uint64_t> numbers) {
  size_t bytes = getByteSize(type);
  std::vector<std::byte> packed(numbers.size() * bytes);
  for (size_t i = 0; i < numbers.size(); ++i) {
    uint64_t number = numbers[i];
    if (unsigned width = bitWidth(type); width < 8) // whose byte has more bits
      number &= (1u << width) - 1;
    std::memcpy(&packed[i * bytes], &number, bytes); // little-endian
  }
  return packed;
}

BufferContents tonno::drawAnyIntegers(const Signature &signature,
                                      const Values &given, IntegerData data,
                                      std::mt19937_64 &generator) {
  BufferContents contents;
  std::vector<uint64_t> last;
  size_t number = 0;
  for (size_t i = 0; i < signature.size(); ++i) {
    const BufferSpec &buffer = signature[i];
    if (!isInput(buffer) || !given[i].empty()) {
      contents.push_back(encode(buffer.elementType, given[i]));
      continue;
    }
    ElementType type = buffer.elementType;
    IntegerSource source(bitWidth(type), generator);
    std::vector<uint64_t> numbers(buffer.elements());
    for (size_t e = 0; e < numbers.size(); ++e) {
      uint64_t other = e < last.size() && generator() & 1 ? last[e]
                       : e > 0                            ? numbers[e - 1]
                                                          : 0;
      numbers[e] = drawOne(source, data, buffer, e, number % 2, other);
    }
    contents.push_back(pack(type, numbers));
    last = std::move(numbers);
    ++number;
  }
  return contents;
}

using Kind = InputSpec::Kind;
using Numbers = std::vector<double>;

static Error refuse(const BufferSpec &buffer, const std::string &why) {
  return {"input " + buffer.input->text() + " of " + buffer.name + ": " + why};
}

static std::string typeName(const BufferSpec &buffer) {
  return std::string(toString(buffer.elementType));
}

static std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return shape.empty() ? "a scalar" : text;
}

static bool isInteger(double x) {
  return std::isfinite(x) && x == std::floor(x);
}

/// Draws a number in [0, 1).
static double drawUnit(std::mt19937_64 &generator) {
  return static_cast<double>(generator() >> 11) * 0x1p-53;
}

static Result<Numbers> readNumbers(const BufferSpec &buffer) {
  auto array = readNpy(buffer.input->path, buffer.elementType);
  if (!array)
    return refuse(buffer, array.error().message);
  if (array->shape != buffer.shape)
    return refuse(buffer, "the file's shape is " + shapeText(array->shape) +
                              ", the buffer's " + shapeText(buffer.shape));
  return std::move(array->values);
}

/// Refuses declarations of integers that the type has not all.
static Result<void> checkRange(const BufferSpec &buffer, double low,
                               double high) {
  ElementType type = buffer.elementType;
  double largest =
      isFloatingPoint(type) ? largestExactInteger(type) : largestFinite(type);
  double lowest = isFloatingPoint(type) ? -largest : lowestFinite(type);
  if (lowest <= low && high <= largest)
    return {};
  std::ostringstream why;
  why.precision(17);
  why << typeName(buffer) << " holds the integers from " << lowest << " to "
      << largest << ", not from " << low << " to " << high;
  return refuse(buffer, why.str());
}

static Result<void> checkDeclaration(const BufferSpec &buffer) {
  const InputSpec &input = *buffer.input;
  if (input.kind == Kind::integers)
    return checkRange(buffer, input.low, input.high);
  if (input.kind == Kind::permutation && buffer.elements() > 0)
    return checkRange(buffer, 0, static_cast<double>(buffer.elements() - 1));
  if (input.kind == Kind::normal && !isFloatingPoint(buffer.elementType))
    return refuse(buffer, "'normal' gives no integers, which " +
                              typeName(buffer) + " needs; use 'integers'");
  return {};
}

/// Returns true if `rounded` is `number`, rounded to the type.
static bool isHeld(ElementType type, double number, double rounded) {
  if (!std::isfinite(number))
    return std::isnan(number) ? std::isnan(rounded) : rounded == number;
  // Types without infinity and NaN give the largest number.
  double largest = largestFinite(type);
  bool isNear =
      hasNan(type) || std::fabs(number) <= largest * (1 + unitRoundoff(type));
  bool isZero = number == 0 && !hasSign(type);
  return std::isfinite(rounded) && isNear && !isZero;
}

/// Rounds numbers: finite ones must stay finite, integers themselves.
static Result<void> fitInto(const BufferSpec &buffer, Numbers &numbers) {
  ElementType type = buffer.elementType;
  bool isFloat = isFloatingPoint(type);
  Numbers rounded = numbers;
  roundTo(type, rounded);
  for (size_t i = 0; i < numbers.size(); ++i) {
    bool held = isFloat ? isHeld(type, numbers[i], rounded[i])
                        : rounded[i] == numbers[i];
    if (held)
      continue;
    std::ostringstream why;
    why.precision(17);
    why << typeName(buffer) << " cannot hold " << numbers[i];
    return refuse(buffer, why.str());
  }
  numbers = std::move(rounded);
  return {};
}

static Result<Numbers> drawKind(const BufferSpec &buffer,
                                std::mt19937_64 &generator) {
  const InputSpec &input = *buffer.input;
  Numbers numbers(buffer.elements(), input.value);
  switch (input.kind) {
  case Kind::uniform:
    for (double &number : numbers) {
      // Avoids low + (high - low) x, whose difference may overflow.
      double x = drawUnit(generator);
      number = input.low * (1 - x) + input.high * x;
      if (!isFloatingPoint(buffer.elementType))
        number = std::floor(number);
    }
    break;
  case Kind::normal: // by Box and Muller
    for (double &number : numbers) {
      double radius = std::sqrt(-2 * std::log(1 - drawUnit(generator)));
      double angle = 2 * std::numbers::pi * drawUnit(generator);
      number = input.mean + input.deviation * radius * std::cos(angle);
    }
    break;
  case Kind::integers: {
    auto low = static_cast<int64_t>(input.low);
    auto high = static_cast<int64_t>(input.high);
    auto count = static_cast<uint64_t>(high - low) + 1;
    for (double &number : numbers)
      number =
          static_cast<double>(low + static_cast<int64_t>(generator() % count));
    break;
  }
  case Kind::permutation: // by Fisher and Yates
    std::iota(numbers.begin(), numbers.end(), 0.0);
    for (size_t left = numbers.size(); left > 1; --left)
      std::swap(numbers[left - 1], numbers[generator() % left]);
    break;
  case Kind::constant:
    break;
  case Kind::npy:
    return readNumbers(buffer);
  }
  return numbers;
}

static Result<Numbers> draw(const BufferSpec &buffer,
                            std::mt19937_64 &generator) {
  TONNO_TRY(checkDeclaration(buffer));
  auto numbers = drawKind(buffer, generator);
  if (!numbers)
    return numbers;
  TONNO_TRY(fitInto(buffer, *numbers));
  if (buffer.input->sorted)
    // NaN, which a file may have, at the end.
    std::sort(numbers->begin(), numbers->end(), [](double a, double b) {
      return std::isnan(b) ? !std::isnan(a) : a < b;
    });
  return numbers;
}

Result<Values> tonno::drawDeclared(const Signature &signature,
                                   std::mt19937_64 &generator) {
  Values values(signature.size());
  for (size_t i = 0; i < signature.size(); ++i) {
    if (!isInput(signature[i]) || !signature[i].input)
      continue;
    values[i] = TONNO_TRY(draw(signature[i], generator));
  }
  return values;
}

Values tonno::exactData(const Signature &signature, const Values &declared) {
  Values exact(declared.size());
  for (size_t i = 0; i < declared.size(); ++i)
    if (!isFloatingPoint(signature[i].elementType) ||
        std::all_of(declared[i].begin(), declared[i].end(), isInteger))
      exact[i] = declared[i];
  return exact;
}
