//===- OraclePass.cpp - One set of inputs with its right results ----------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/OraclePass.h"
#include "tonno/Runtime/Elements.h"

#include <cmath>
#include <cstring>
#include <sstream>

using namespace tonno;

double OraclePass::allowed(size_t buffer, size_t element,
                           double roundoff) const {
  const Tolerance &tolerance = tolerances[buffer];
  double beside = slack.empty() ? 0 : slack[buffer][element];
  return tolerance.relative * std::fabs(expected[buffer][element]) +
         tolerance.absolute + (tolerance.roundoffs + beside) * roundoff;
}

/// "result0[3][17]"
static std::string elementName(const BufferSpec &buffer, size_t element) {
  std::string subscripts;
  for (size_t d = buffer.shape.size(); d-- > 0;) {
    auto extent = static_cast<size_t>(buffer.shape[d]);
    subscripts = "[" + std::to_string(element % extent) + "]" + subscripts;
    element /= extent;
  }
  return buffer.name + subscripts;
}

namespace {
/// The elements of an output that are wrong.
struct Mismatch {
  size_t count = 0;
  size_t first = 0;
};
} // namespace

/// Of a number that is not `rounded`, the reference's result in the type.
static bool isNear(ElementType type, double found, double expected,
                   double allowed) {
  if (!std::isfinite(expected))
    return false;
  if (std::isinf(found))
    // Rounded up from what would have been near enough.
    return std::signbit(found) == std::signbit(expected) &&
           std::fabs(expected) + allowed >= largestFinite(type);
  return std::fabs(found - expected) <= allowed;
}

template <typename Allowed, typename Between>
static Mismatch findMismatch(ElementType type, std::span<const double> expected,
                             std::span<const std::byte> roundedBytes,
                             std::span<const std::byte> foundBytes,
                             Allowed allowed, Between isBetween) {
  if (std::ranges::equal(roundedBytes, foundBytes))
    return {};
  std::vector<double> rounded = decode(type, roundedBytes);
  std::vector<double> found = decode(type, foundBytes);
  size_t bytes = sizeOf(type);
  bool isFloat = isFloatingPoint(type);
  auto isRight = [&](size_t e) {
    // Not by their values: those of 64 bits may not be doubles.
    if (!isFloat)
      return std::memcmp(&roundedBytes[e * bytes], &foundBytes[e * bytes],
                         bytes) == 0 ||
             isBetween(e, found[e], 0);
    if (std::isnan(expected[e]))
      return std::isnan(found[e]);
    return found[e] == rounded[e] ||
           isNear(type, found[e], expected[e], allowed(e)) ||
           isBetween(e, found[e], allowed(e));
  };
  Mismatch mismatch;
  for (size_t e = 0; e < found.size(); ++e)
    if (!isRight(e) && mismatch.count++ == 0)
      mismatch.first = e;
  return mismatch;
}

Result<void, Failure> OraclePass::check(const Signature &signature,
                                        const BufferContents &found,
                                        double roundoff) const {
  for (size_t i = 0; i < signature.size(); ++i) {
    const BufferSpec &buffer = signature[i];
    if (!isOutput(buffer))
      continue;
    auto allowance = [&](size_t e) { return allowed(i, e, roundoff); };
    auto isBetween = [&](size_t e, double value, double beyond) {
      return !lowest.empty() && lowest[i][e] < highest[i][e] &&
             value >= lowest[i][e] - beyond && value <= highest[i][e] + beyond;
    };
    Mismatch wrong = findMismatch(buffer.elementType, expected[i], rounded[i],
                                  found[i], allowance, isBetween);
    if (wrong.count == 0)
      continue;
    size_t bytes = sizeOf(buffer.elementType);
    std::ostringstream message;
    message.precision(9);
    message << elementName(buffer, wrong.first) << " is "
            << decode(buffer.elementType, std::span(found[i]).subspan(
                                              wrong.first * bytes, bytes))[0]
            << ", should be " << expected[i][wrong.first];
    if (!exact && isFloatingPoint(buffer.elementType))
      message << " +- " << allowance(wrong.first);
    message << "; " << wrong.count << " of " << buffer.elements()
            << " elements are wrong (" << name << " pass)";
    return Failure{Status::wrong, message.str()};
  }
  return {};
}
