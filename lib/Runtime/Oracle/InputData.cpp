//===- What kernels are run on --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "InputData.h"
#include "tonno/Runtime/Elements.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
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

/// In [0, 1).
static double drawUnit(std::mt19937_64 &generator) {
  return static_cast<double>(generator() >> 11) * 0x1p-53;
}

static Result<Numbers> readNumbers(const BufferSpec &buffer) {
  auto array = readNpy(buffer.input->path);
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
    return refuse(buffer, "normal gives no integers, which " +
                              typeName(buffer) + " needs; try integers");
  return {};
}

/// Rounds numbers to what the buffer holds. A finite one must stay finite, an
/// integer itself.
static Result<void> roundTo(const BufferSpec &buffer, Numbers &numbers) {
  bool isFloat = isFloatingPoint(buffer.elementType);
  Numbers rounded =
      decode(buffer.elementType, encode(buffer.elementType, numbers));
  for (size_t i = 0; i < numbers.size(); ++i) {
    bool held = isFloat
                    ? std::isfinite(rounded[i]) || !std::isfinite(numbers[i])
                    : rounded[i] == numbers[i];
    if (held)
      continue;
    std::ostringstream why;
    why.precision(17);
    why << typeName(buffer) << " can't hold " << numbers[i];
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
      // Not low + (high - low) x: the difference may overflow.
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
  TONNO_TRY(roundTo(buffer, *numbers));
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
    auto numbers = TONNO_TRY(draw(signature[i], generator));
    values[i] = std::move(numbers);
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
