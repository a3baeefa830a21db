//===- Overflows.cpp - Results that the kernel's own types can't hold -----===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OraclePasses.h"

#include "tonno/Runtime/Elements.h"

#include <algorithm>
#include <cmath>

using namespace tonno;

// The f64 reference holds a product of ten matrices that overflows f32 on the
// way. Whatever a candidate makes of inf - inf is right there, but verifies
// nothing: on smaller inputs nothing overflows.

/// Halvings of the inputs that are tried: enough for repeated products of
/// matrices of 2^16 rows.
static constexpr int maxHalvings = 9;

/// The share of a result that may overflow: the remainder is verified.
static constexpr double mostOverflows = 0.01;

Result<TameResults> OraclePasses::runTame(const Values &inputs) {
  auto results = reference.run(inputs);
  if (!results)
    return results.error();
  TameResults tame = {std::move(*results), {}};
  if (!kernels.plain)
    return tame;
  tame.overflows.resize(signature.size());
  auto own = kernels.plain->run(inputs);
  if (!own)
    return own.error();
  for (size_t i = 0; i < signature.size(); ++i) {
    ElementType type = signature[i].elementType;
    tame.overflows[i].resize(tame.results.values[i].size());
    if (!isFloatingPoint(type))
      continue;
    std::vector<double> rounded = decode(type, tame.results.rounded[i]);
    // An infinity that the result itself rounds to is right.
    for (size_t e = 0; e < rounded.size(); ++e) {
      double found = own->values[i][e];
      tame.overflows[i][e] = !std::isfinite(found) && found != rounded[e] &&
                             !std::isnan(rounded[e]);
    }
  }
  return tame;
}

/// Returns the first buffer of which more than `mostOverflows` does.
static std::optional<size_t> findOverflowed(const TameResults &tame) {
  for (size_t i = 0; i < tame.overflows.size(); ++i)
    if (static_cast<double>(std::ranges::count(tame.overflows[i], true)) >
        mostOverflows * static_cast<double>(tame.overflows[i].size()))
      return i;
  return std::nullopt;
}

/// Returns true if a result is NaN, as where f64 overflows on the way, too.
static bool hasNan(const Values &results) {
  return std::ranges::any_of(results, [](const std::vector<double> &values) {
    return std::ranges::any_of(values, [](double x) { return std::isnan(x); });
  });
}

bool OraclePasses::isVerified(const TameResults &tame) const {
  return allowNan || !findOverflowed(tame);
}

Values OraclePasses::halve(const Values &declared, Values reals) const {
  for (size_t i = 0; i < signature.size(); ++i) {
    ElementType type = signature[i].elementType;
    if (!declared[i].empty() || !isFloatingPoint(type))
      continue;
    for (double &x : reals[i])
      x /= 2;
    reals[i] = decode(type, encode(type, reals[i]));
  }
  return reals;
}

Result<TameResults> OraclePasses::fitReals(const Values &declared,
                                           Values &reals) {
  auto isHeld = [&](const TameResults &tame) {
    return !findOverflowed(tame) && (allowNan || !hasNan(tame.results.values));
  };
  auto drawn = runTame(reals);
  if (!drawn || isHeld(*drawn))
    return drawn;
  Values smaller = reals;
  for (int halvings = 0; halvings < maxHalvings; ++halvings) {
    Values next = halve(declared, smaller);
    if (next == smaller)
      break; // all is declared
    smaller = std::move(next);
    auto tame = runTame(smaller);
    if (!tame)
      return tame;
    if (isHeld(*tame)) {
      reals = std::move(smaller);
      // What grows that much multiplies its results: errors, too.
      isExact = false;
      return tame;
    }
  }
  if (isVerified(*drawn))
    return drawn;
  size_t i = *findOverflowed(*drawn);
  auto isReal = [](const BufferSpec &buffer) {
    return isInput(buffer) && isFloatingPoint(buffer.elementType);
  };
  auto input = std::ranges::find_if(signature, isReal);
  return Error{"the kernel overflows its own types in " +
               std::to_string(std::ranges::count(drawn->overflows[i], true)) +
               " of " + std::to_string(drawn->overflows[i].size()) +
               " elements of " + signature[i].name +
               "; where it does, nothing is verified; " +
               (input == signature.end()
                    ? ""
                    : "state smaller inputs, such as --inputs='" + input->name +
                          "=uniform(-0.001, 0.001)'; ") +
               "if it should overflow, give --allow-nan"};
}

Result<bool> OraclePasses::isHeldExactly(const Values &inputs,
                                         const ReferenceResults &results) {
  if (!kernels.plain)
    return true;
  auto own = kernels.plain->run(inputs);
  if (!own)
    return own.error();
  for (size_t i = 0; i < signature.size(); ++i) {
    ElementType type = signature[i].elementType;
    bool isSame = isFloatingPoint(type) // which has two zeros
                      ? own->values[i] == decode(type, results.rounded[i])
                      : own->rounded[i] == results.rounded[i];
    if (isOutput(signature[i]) && !isSame)
      return false;
  }
  return true;
}
