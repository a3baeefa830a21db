//===- Inputs that neither overflow nor give NaN --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OraclePasses.h"

#include "tonno/Runtime/Elements.h"

#include <algorithm>
#include <cmath>

using namespace tonno;

// The f64 reference holds a product of ten matrices that overflows f32 on the
// way. Whatever a candidate makes of inf - inf is right there, but verifies
// nothing: on smaller inputs nothing overflows. Nor does the root of what is
// negative verify anything: a variance is drawn positive.

/// Halvings of the inputs that are tried: enough for repeated products of
/// matrices of 2^16 rows.
static constexpr int maxHalvings = 9;

/// Returns true if too few of a result's elements are verified where so many
/// overflow or are NaN.
static bool areMany(size_t count, size_t elements) {
  return 100 * count > elements;
}

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

/// Returns the first buffer of which many elements overflow.
static std::optional<size_t> findOverflowed(const TameResults &tame) {
  for (size_t i = 0; i < tame.overflows.size(); ++i)
    if (areMany(
            static_cast<size_t>(std::ranges::count(tame.overflows[i], true)),
            tame.overflows[i].size()))
      return i;
  return std::nullopt;
}

static size_t countNan(std::span<const double> values) {
  return static_cast<size_t>(
      std::ranges::count_if(values, [](double x) { return std::isnan(x); }));
}

static size_t countNan(const Values &results) {
  size_t count = 0;
  for (const std::vector<double> &values : results)
    count += countNan(std::span(values));
  return count;
}

bool OraclePasses::hasManyNans(std::span<const double> values) const {
  return !allowNan && areMany(countNan(values), values.size());
}

bool OraclePasses::isTame(const TameResults &tame) const {
  return !findOverflowed(tame) &&
         std::ranges::none_of(tame.results.values,
                              [&](const std::vector<double> &values) {
                                return hasManyNans(values);
                              });
}

bool OraclePasses::isVerified(const TameResults &tame) const {
  return allowNan || !findOverflowed(tame);
}

std::vector<size_t> OraclePasses::findDrawn(const Values &declared) const {
  std::vector<size_t> drawn;
  for (size_t i = 0; i < signature.size(); ++i)
    if (isInput(signature[i]) && declared[i].empty())
      drawn.push_back(i);
  return drawn;
}

std::vector<size_t> OraclePasses::findDrawnReals(const Values &declared) const {
  std::vector<size_t> drawn = findDrawn(declared);
  std::erase_if(drawn, [&](size_t i) {
    return !isFloatingPoint(signature[i].elementType);
  });
  return drawn;
}

Result<void> OraclePasses::makePositive(const Values &declared, Values &reals,
                                        size_t nans) {
  std::vector<size_t> drawn = findDrawn(declared);
  auto positive = [&](std::span<const size_t> inputs) {
    Values values = reals;
    for (size_t i : inputs)
      for (double &x : values[i])
        x = std::fabs(x);
    return values;
  };
  Values all = positive(drawn);
  auto results = reference.run(all);
  if (!results)
    return results.error();
  size_t fewest = countNan(results->values);
  if (fewest >= nans)
    return {};
  // No more of them than it takes.
  for (size_t n = 0; n < drawn.size() && nans > fewest; ++n) {
    Values values = positive(std::span(drawn).subspan(n, 1));
    auto others = reference.run(values);
    if (!others)
      return others.error();
    if (size_t left = countNan(others->values); left < nans) {
      nans = left;
      reals = std::move(values);
    }
  }
  if (nans > fewest)
    reals = std::move(all);
  return {};
}

Values OraclePasses::halve(std::span<const size_t> drawn, Values reals) const {
  for (size_t i : drawn) {
    ElementType type = signature[i].elementType;
    for (double &x : reals[i])
      x /= 2;
    reals[i] = decode(type, encode(type, reals[i]));
  }
  return reals;
}

Result<TameResults> OraclePasses::fitReals(const Values &declared,
                                           Values &reals) {
  auto drawn = runTame(reals);
  if (!drawn || isTame(*drawn))
    return drawn;
  if (size_t nans = countNan(drawn->results.values); nans > 0 && !allowNan) {
    if (auto made = makePositive(declared, reals, nans); !made)
      return made.error();
    drawn = runTame(reals);
    if (!drawn || isTame(*drawn))
      return drawn;
  }
  Values smaller = reals;
  std::vector<size_t> inputs = findDrawnReals(declared);
  int most = inputs.empty() ? 0 : maxHalvings;
  for (int halvings = 0; halvings < most; ++halvings) {
    smaller = halve(inputs, std::move(smaller));
    auto tame = runTame(smaller);
    if (!tame)
      return tame;
    if (isTame(*tame)) {
      reals = std::move(smaller);
      // Results that grow that much are multiplied, and errors with them.
      isExact = false;
      return tame;
    }
  }
  return checkVerified(std::move(*drawn));
}

std::string OraclePasses::adviseInputs(const std::string &reals) const {
  auto isReal = [](const BufferSpec &buffer) {
    return isInput(buffer) && isFloatingPoint(buffer.elementType);
  };
  auto advise = [](const BufferSpec &buffer, const std::string &data) {
    return "state other data, such as --inputs='" + buffer.name + "=" + data +
           "'; ";
  };
  auto input = std::ranges::find_if(signature, isReal);
  if (input != signature.end())
    return advise(*input, reals);
  input = std::ranges::find_if(signature, isInput);
  return input == signature.end() ? "" : advise(*input, "integers(1, 100)");
}

Result<TameResults> OraclePasses::checkVerified(TameResults drawn) const {
  if (isVerified(drawn))
    return drawn;
  size_t i = *findOverflowed(drawn);
  return Error{"the kernel overflows its own types in " +
               std::to_string(std::ranges::count(drawn.overflows[i], true)) +
               " of " + std::to_string(drawn.overflows[i].size()) +
               " elements of " + signature[i].name +
               "; where it does, nothing is verified; " +
               adviseInputs("uniform(-0.001, 0.001)") +
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
