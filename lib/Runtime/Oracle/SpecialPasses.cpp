//===- Inputs that are not tame -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/Elements.h"
#include "OraclePasses.h"
#include "ReferenceKernel.h"
#include "SpecialNumbers.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace tonno;

// A softmax does not mind where its input lies, a normalisation not how large
// it is either. So near 0 and of size 1 it doesn't show who leaves out the
// maximum, a part of it, or the epsilon.

/// Where shifted inputs lie, and how far above these the peaks are, if exp
/// overflows at 88: by more than makes every other exponential 0 in f32, so
/// that it doesn't matter who flushes subnormal numbers.
static constexpr double offset = 200;
static constexpr double peak = 120;
/// By how much later exp overflows in f64, in which the reference runs.
static constexpr double exponents = 8;

/// Lines of each dimension that have a peak, and what is taken for a tile.
static constexpr size_t maxPeaks = 6;
static constexpr size_t tile = 16;

/// By how much small inputs are smaller. f16 has no smaller normal numbers.
static double shrinkage(ElementType type) {
  return type == ElementType::f16 ? 0x1p-10 : 0x1p-16;
}

Result<bool> OraclePasses::keepsResults(const Values &inputs,
                                        const Values &results, double share) {
  auto others = TONNO_TRY(reference.run(inputs));
  for (size_t i = 0; i < results.size(); ++i) {
    double room = share * rootMeanSquare(results[i]);
    for (size_t e = 0; e < results[i].size(); ++e) {
      double before = results[i][e], after = others.values[i][e];
      if (before != after && !(std::fabs(before - after) <= room) &&
          !(std::isnan(before) && std::isnan(after)))
        return false;
    }
  }
  return true;
}

Result<void> OraclePasses::addInvariant(const Values &declared,
                                        const Values &reals,
                                        const Values &results) {
  if (arithmetic.hasNarrowRange)
    return {};
  std::vector<bool> toShift(signature.size()), toScale(signature.size());
  for (size_t i = 0; i < signature.size(); ++i) {
    if (!isInput(signature[i]) || !declared[i].empty() ||
        !isFloatingPoint(signature[i].elementType))
      continue;
    Values shifted = reals, scaled = reals;
    for (double &x : shifted[i])
      x += exponents * offset;
    for (double &x : scaled[i])
      x *= 16;
    auto keepsShifted = keepsResults(shifted, results, 1e-6);
    auto keepsScaled = keepsResults(scaled, results, 1e-2);
    if (!keepsShifted)
      return keepsShifted.error();
    if (!keepsScaled)
      return keepsScaled.error();
    toShift[i] = *keepsShifted;
    toScale[i] = *keepsScaled;
  }
  if (auto added = addShifted(reals, toShift); !added)
    return added;
  return addSmall(reals, toScale, results);
}

/// Lifts one element in some lines along each dimension: the last, the first,
/// the last of a tile.
static void addPeaks(const BufferSpec &buffer, double height,
                     std::vector<double> &values, std::mt19937_64 &generator) {
  size_t inner = values.size();
  for (int64_t signedExtent : buffer.shape) {
    auto extent = static_cast<size_t>(signedExtent);
    inner /= extent; // the distance of neighbours in this dimension
    if (extent < 2)
      continue;
    size_t lines = values.size() / extent;
    size_t peaks = std::min(lines, maxPeaks);
    for (size_t n = 0; n < peaks; ++n) {
      size_t line = n * lines / peaks;
      size_t tiles = extent / tile;
      size_t tileEnd =
          tiles ? generator() % tiles * tile + tile - 1 : generator() % extent;
      size_t at = n % 3 == 0 ? extent - 1 : n % 3 == 1 ? 0 : tileEnd;
      // The last one twice as high, so that another peak does not stand in.
      values[line / inner * inner * extent + at * inner + line % inner] +=
          n % 3 == 0 ? 2 * height : height;
    }
  }
}

Result<void> OraclePasses::addShifted(const Values &reals,
                                      const std::vector<bool> &inputs) {
  if (std::ranges::find(inputs, true) == inputs.end())
    return {};
  // Of sums in f64, exp is in f64.
  double scale =
      arithmetic.roundoff <= unitRoundoff(ElementType::f64) ? exponents : 1;
  Values shifted = reals, extreme = reals;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i])
      continue;
    for (double &x : shifted[i])
      x += scale * offset;
    addPeaks(signature[i], scale * peak, shifted[i], generator);
    ElementType type = signature[i].elementType;
    shifted[i] = decode(type, encode(type, shifted[i]));
    extreme[i] = shifted[i];
    for (double &x : extreme[i])
      x *= exponents / scale;
  }
  // What f32 would not stand here, f64 would not stand there: then the kernel
  // itself is one that overflows.
  auto results = TONNO_TRY(reference.run(extreme));
  for (const std::vector<double> &values : results.values)
    for (double value : values)
      if (!std::isfinite(value))
        return {};
  return addIfVerified("shifted", shifted);
}

Result<void> OraclePasses::addSmall(const Values &reals,
                                    const std::vector<bool> &inputs,
                                    const Values &results) {
  if (std::ranges::find(inputs, true) == inputs.end())
    return {};
  Values small = reals;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i])
      continue;
    ElementType type = signature[i].elementType;
    for (double &x : small[i])
      x *= shrinkage(type);
    small[i] = decode(type, encode(type, small[i]));
  }
  // What does not mind this either has no epsilon.
  auto keeps = TONNO_TRY(keepsResults(small, results, 1e-6));
  return keeps ? Result<void>() : addIfVerified("small", small);
}

// A series is right near 0 and wrong at 10; a maximum that drops NaN is right
// wherever there is none.

/// Numbers of 64 bits that doubles hold.
static std::vector<double> asDoubles(ElementType type,
                                     std::span<const std::byte> numbers) {
  std::vector<double> values = decode(type, numbers);
  for (double &x : values)
    x = std::clamp(x, -0x1p62, 0x1p62);
  return values;
}

/// How often whole buffers are drawn, and how often tame data with some
/// numbers in it.
static constexpr size_t wholePasses = 2;
static constexpr size_t lonelyPasses = 6;

Result<void> OraclePasses::addSpecialPasses(const Values &declared,
                                            const Values &reals) {
  // Less precision than the IR's may have less range, too.
  if (!kernels.plain || isLowered)
    return {};
  FloatRange range = problem.isRelaxed  ? FloatRange::moderate
                     : problem.isFinite ? FloatRange::finite
                                        : FloatRange::whole;
  std::vector<size_t> drawn = findDrawnReals(declared);
  if (drawn.empty())
    return {};
  size_t whole = problem.isElementwise ? affordable(wholePasses) : 0;
  for (size_t n = 0; n < whole; ++n)
    if (auto added = addSpecial("special numbers " + std::to_string(n + 1),
                                drawSpecial(signature, declared, range,
                                            /*areEnds=*/n % 2 == 1, generator));
        !added)
      return added;
  for (size_t n = 0; n < affordable(lonelyPasses); ++n) {
    Values inputs = reals;
    size_t i = drawn[n % drawn.size()];
    tonno::addSpecial(signature[i], inputs[i], range, n / drawn.size(),
                      generator);
    if (auto added =
            addSpecial("one special number " + std::to_string(n + 1), inputs);
        !added)
      return added;
  }
  return {};
}

/// Up to which a run of the reference is so short that nobody waits for some
/// more.
static constexpr double fewOperations = 0x1p26;

size_t OraclePasses::affordable(size_t passes) const {
  double results = 0, elements = 0;
  for (const BufferSpec &buffer : signature) {
    auto count = static_cast<double>(buffer.elements());
    elements += count;
    results += isOutput(buffer) ? count : 0;
  }
  // A result is of so many operations, and what is elementwise of few.
  double work =
      elements + results * (problem.isElementwise ? 1 : reductionLength);
  size_t share = work <= fewOperations        ? 1
                 : work <= 4 * fewOperations  ? 2
                 : work <= 64 * fewOperations ? 4
                                              : passes;
  return std::max<size_t>(passes / share, 1);
}

Result<void> OraclePasses::addIntegersBesideReals(const Values &declared,
                                                  const Values &reals) {
  if (!kernels.plain || isLowered)
    return {};
  constexpr std::array<IntegerData, 4> ways = {
      IntegerData::mixed, IntegerData::lines, IntegerData::linesAcross,
      IntegerData::largest};
  for (IntegerData way : std::span(ways).first(affordable(ways.size()))) {
    Values given = declared;
    for (size_t i = 0; i < signature.size(); ++i)
      if (isFloatingPoint(signature[i].elementType))
        given[i] = reals[i];
    BufferContents drawn = drawAnyIntegers(signature, given, way, generator);
    Values inputs = given;
    for (size_t i = 0; i < signature.size(); ++i)
      if (inputs[i].empty() && isInput(signature[i]))
        inputs[i] = asDoubles(signature[i].elementType, drawn[i]);
    if (auto added =
            addSpecial("any integers, " + std::string(toString(way)), inputs);
        !added)
      return added;
  }
  return {};
}
