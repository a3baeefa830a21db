//===- One set of inputs with its right results ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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

/// Calls wrong(element) for each element of an output that is.
template <typename Wrong>
static void forEachWrong(const OraclePass &pass, const BufferSpec &buffer,
                         size_t output, std::span<const std::byte> foundBytes,
                         double roundoff, Wrong wrong) {
  std::span<const std::byte> roundedBytes = pass.rounded[output];
  if (std::ranges::equal(roundedBytes, foundBytes))
    return;
  ElementType type = buffer.elementType;
  const std::vector<double> &expected = pass.expected[output];
  std::vector<double> rounded = decode(type, roundedBytes);
  std::vector<double> found = decode(type, foundBytes);
  size_t bytes = sizeOf(type);
  bool isFloat = isFloatingPoint(type);
  auto isBetween = [&](size_t e, double beyond) {
    if (pass.lowest.empty())
      return false;
    double low = pass.lowest[output][e], high = pass.highest[output][e];
    return low < high && found[e] >= low - beyond && found[e] <= high + beyond;
  };
  auto isRight = [&](size_t e) {
    // Not by their values: those of 64 bits may not be doubles.
    if (!isFloat)
      return std::memcmp(&roundedBytes[e * bytes], &foundBytes[e * bytes],
                         bytes) == 0 ||
             isBetween(e, 0);
    if (pass.takesAnyNonFinite && !std::isfinite(expected[e]))
      return !std::isfinite(found[e]);
    if (std::isnan(expected[e]))
      return std::isnan(found[e]);
    if (found[e] == rounded[e])
      return true;
    double allowed = pass.allowed(output, e, roundoff);
    return isNear(type, found[e], expected[e], allowed) ||
           isBetween(e, allowed);
  };
  bool isAllJudged = pass.isOpen.empty();
  for (size_t e = 0; e < found.size(); ++e)
    if ((isAllJudged || !pass.isOpen[output][e]) && !isRight(e))
      wrong(e);
}

/// Prints one element. Doubles hold no integer of 64 bits exactly.
static void print(std::ostream &stream, ElementType type,
                  std::span<const std::byte> element) {
  int64_t integer = 0;
  if (type != ElementType::i64) {
    stream << decode(type, element)[0];
    return;
  }
  std::memcpy(&integer, element.data(), sizeof integer);
  stream << integer;
}

void OraclePass::openWhereWrong(const Signature &signature,
                                const BufferContents &found, double roundoff) {
  isOpen.resize(signature.size());
  for (size_t i = 0; i < signature.size(); ++i) {
    if (!isOutput(signature[i]))
      continue;
    std::vector<size_t> open;
    forEachWrong(*this, signature[i], i, found[i], roundoff,
                 [&](size_t element) { open.push_back(element); });
    isOpen[i].resize(signature[i].elements());
    for (size_t element : open)
      isOpen[i][element] = true;
  }
}

Result<void, Failure> OraclePass::check(const Signature &signature,
                                        const BufferContents &found,
                                        double roundoff) const {
  for (size_t i = 0; i < signature.size(); ++i) {
    const BufferSpec &buffer = signature[i];
    if (!isOutput(buffer))
      continue;
    size_t count = 0, first = 0;
    forEachWrong(*this, buffer, i, found[i], roundoff, [&](size_t element) {
      if (count++ == 0)
        first = element;
    });
    if (count == 0)
      continue;
    size_t bytes = sizeOf(buffer.elementType);
    auto element = [&](const BufferContents &contents) {
      return std::span(contents[i]).subspan(first * bytes, bytes);
    };
    bool isFloat = isFloatingPoint(buffer.elementType);
    std::ostringstream message;
    message.precision(9);
    message << elementName(buffer, first) << " is ";
    print(message, buffer.elementType, element(found));
    message << ", should be ";
    if (isFloat)
      message << expected[i][first];
    else
      print(message, buffer.elementType, element(rounded));
    if (!exact && isFloat)
      message << " +- " << allowed(i, first, roundoff);
    message << "; " << count << " of " << buffer.elements()
            << " elements are wrong (" << name << " pass)";
    return Failure{Status::wrong, message.str()};
  }
  return {};
}
