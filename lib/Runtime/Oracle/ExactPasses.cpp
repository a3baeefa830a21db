//===- Passes that must match bit for bit ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/Elements.h"
#include "OraclePasses.h"
#include "SpecialNumbers.h"

#include <algorithm>
#include <cmath>

using namespace tonno;

/// The least that the smaller factor of the wide pass's products may be, and
/// how often the larger one is tried to be found.
static constexpr double narrowIntegers = 5;
static constexpr int maxWidths = 12;

/// The largest result of the reference on the inputs' magnitudes. With sums and
/// products alone it bounds everything that a candidate computes on the way, in
/// whatever order.
Result<double> OraclePasses::largestSum(const Values &inputs) {
  auto results = reference.run(absolute(inputs));
  if (!results)
    return results.error();
  double largest = 0;
  for (const std::vector<double> &values : results->values)
    largest = std::max(largest, largestMagnitude(values));
  return largest;
}

/// Whether the magnitudes of data that may be indices lie between the least and
/// the largest of them. Nobody knows where others would lead.
static bool magnitudesAreAmongThem(const Signature &signature,
                                   const Values &fixed) {
  for (size_t i = 0; i < fixed.size(); ++i) {
    if (fixed[i].empty() || isFloatingPoint(signature[i].elementType))
      continue;
    auto [least, largest] =
        std::minmax_element(fixed[i].begin(), fixed[i].end());
    if (-*least > *largest)
      return false;
  }
  return true;
}

/// Whether nothing that is computed in the small pass without a bound from the
/// reference can be large: no real is over 1, and there is room for integers.
static bool isSmall(const Signature &signature, const Values &fixed,
                    double room) {
  for (size_t i = 0; i < fixed.size(); ++i) {
    bool isFloat = isFloatingPoint(signature[i].elementType);
    if (largestMagnitude(fixed[i]) > (isFloat ? 1 : room))
      return false;
  }
  return true;
}

Result<void> OraclePasses::addExact(const Values &fixed) {
  double limit = arithmetic.largestInteger;
  Values signs = drawSigns(signature, fixed, generator);
  if (!sumsOfProducts) {
    // No bound is known; short sums of signs stay far below any limit.
    double room = limit / (256 * reductionLength);
    if (room < 1 || !isSmall(signature, fixed, room))
      return {};
    auto results = reference.run(signs);
    if (!results)
      return results.error();
    // Sums of sums, such as products of several matrices, may be long.
    auto isHeld = isHeldExactly(signs, *results);
    if (!isHeld)
      return isHeld.error();
    return *isHeld ? add({"small exact", true}, signs, std::move(*results))
                   : Result<void>();
  }
  if (!magnitudesAreAmongThem(signature, fixed))
    return {};
  auto sum = largestSum(signs);
  if (!sum)
    return sum.error();
  if (*sum > limit)
    return {};
  if (auto added = add({"small exact", true}, signs, reference.run(signs));
      !added)
    return added;
  return addWide(fixed);
}

/// The largest integer that one of the inputs that are drawn can be; 0 if none
/// is.
static double largestDrawn(const Signature &signature, const Values &fixed) {
  double largest = 0;
  for (size_t i = 0; i < signature.size(); ++i)
    if (isInput(signature[i]) && fixed[i].empty())
      largest =
          std::max(largest, largestExactInteger(signature[i].elementType));
  return largest;
}

/// How many times the largest number of its type a result is, at most.
static double overflow(const Signature &signature, const Values &results) {
  double factor = 0;
  for (size_t i = 0; i < signature.size(); ++i)
    factor = std::max(factor, largestMagnitude(results[i]) /
                                  largestFinite(signature[i].elementType));
  return factor;
}

Result<void> OraclePasses::addWide(const Values &integers,
                                   ReferenceResults results) {
  if (auto added = add({wideExactPass, true}, integers, std::move(results));
      !added)
    return added;
  // By which explanations tell less precise sums from wrong ones.
  OraclePass &pass = passes.back();
  for (size_t i = 0; i < signature.size(); ++i)
    pass.tolerances[i].roundoffs =
        growthOfRoundings(integers, 8) * rootMeanSquare(pass.expected[i]);
  return {};
}

Result<void> OraclePasses::addWide(const Values &fixed) {
  double limit = arithmetic.largestInteger;
  // Right at once for a product of two buffers; narrowed down for others.
  double wide = std::min(std::floor(limit / (narrowIntegers * reductionLength)),
                         largestDrawn(signature, fixed));
  double narrow =
      std::max(narrowIntegers, std::floor(limit / (reductionLength * wide)));
  for (int tries = 0; tries < maxWidths && wide >= 2; ++tries) {
    Values integers =
        drawIntegers(signature, fixed, generator, wide, std::min(wide, narrow));
    auto sum = largestSum(integers);
    if (!sum)
      return sum.error();
    double shrink = std::min(0.7, std::sqrt(limit / *sum));
    if (*sum <= limit) {
      auto results = reference.run(integers);
      if (!results)
        return results.error();
      // An infinite result would hide all that led to it.
      double factor = overflow(signature, results->values);
      if (factor <= 1)
        return addWide(integers, std::move(*results));
      shrink = 0.9 / factor;
    }
    if (narrow > narrowIntegers) {
      shrink = std::sqrt(shrink);
      narrow = std::max(narrowIntegers, std::floor(narrow * shrink));
    }
    wide = std::floor(wide * shrink);
  }
  return {};
}

Result<void> OraclePasses::addAnyIntegers(const Values &fixed) {
  // A pass is one run of the reference.
  size_t count = std::max<size_t>(affordable(std::size(allIntegerData)), 3);
  for (IntegerData data : std::span(allIntegerData).first(count)) {
    BufferContents inputs = drawAnyIntegers(signature, fixed, data, generator);
    auto results = reference.run(inputs);
    if (!results)
      return results.error();
    OraclePass pass;
    pass.name = "any integers, " + std::string(toString(data));
    pass.exact = true;
    pass.isForWinners = data != IntegerData::mixed;
    pass.inputs = std::move(inputs);
    pass.expected = std::move(results->values);
    pass.rounded = std::move(results->rounded);
    pass.tolerances.resize(signature.size());
    passes.push_back(std::move(pass));
  }
  return {};
}
