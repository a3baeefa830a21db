//===- SpecialPasses.cpp - Passes on numbers that are not tame ------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OraclePasses.h"
#include "SpecialNumbers.h"

#include "tonno/Runtime/Elements.h"
#include "tonno/Runtime/Sensitivity.h"

#include <cmath>

using namespace tonno;

// A series is right near 0 and wrong at 10; a maximum that drops NaN is right
// wherever there is none. What the kernel's own types can't hold on the way is
// nobody's mistake: where the plain kernel, computed in these, is wrong as
// well, whatever a candidate gives is right.

/// How often whole buffers are drawn, and how often tame data with some
/// numbers in it.
static constexpr size_t wholePasses = 2;
static constexpr size_t lonelyPasses = 6;

/// A sensitivity, in results, that a movement by a millionth changes by 2 %:
/// the sine of 1e20 is any number from -1 to 1.
static constexpr double undetermined = 2e4;
/// Roundings up to which results move in proportion to them.
static constexpr double fineRoundoff = 0x1p-20;
/// How many subnormal numbers may have become 0 on the way to a result.
static constexpr double flushes = 4;
/// What is approximated where flags allow it.
static constexpr double approximation = 0x1p-11;

Result<void> OraclePasses::addSpecialPasses(const Values &declared,
                                            const Values &reals) {
  // Less precision than the IR's may have less range, too.
  if (!kernels.plain || isLowered)
    return {};
  FloatRange range = isRelaxed  ? FloatRange::moderate
                     : isFinite ? FloatRange::finite
                                : FloatRange::whole;
  std::vector<size_t> drawn;
  for (size_t i = 0; i < signature.size(); ++i)
    if (isInput(signature[i]) && declared[i].empty() &&
        isFloatingPoint(signature[i].elementType))
      drawn.push_back(i);
  if (drawn.empty())
    return {};
  for (size_t n = 0; isElementwise && n < wholePasses; ++n)
    if (auto added = addSpecial("special numbers " + std::to_string(n + 1),
                                drawSpecial(signature, declared, range,
                                            /*areEnds=*/n % 2 == 1, generator));
        !added)
      return added;
  for (size_t n = 0; n < lonelyPasses; ++n) {
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

Result<void> OraclePasses::addSpecial(const std::string &name,
                                      const Values &inputs) {
  bool mayBeNan = std::exchange(allowNan, true);
  auto added =
      add({.name = name, .isForWinners = true}, inputs, reference.run(inputs));
  allowNan = mayBeNan;
  if (!added)
    return added;
  OraclePass &pass = passes.back();
  for (size_t i = 0; i < signature.size(); ++i)
    // The rest is in proportion to the sensitivity.
    pass.tolerances[i] = {1.02 * unitRoundoff(signature[i].elementType) +
                              (isRelaxed ? approximation : 0),
                          flushes * absoluteTolerance(signature[i].elementType,
                                                      /*mayFlush=*/true)};
  const double growth = 16 * std::sqrt(reductionLength);
  if (auto widened = addSlack(inputs, InputScale::own, growth); !widened)
    return widened;
  // Before what lies between two sides of a step is right, too: of a conversion
  // that is undefined, any number would.
  if (auto left = leaveOpen(inputs, growth * undetermined); !left)
    return left;
  // A maximum's other argument is near where roundings are as coarse.
  return hasSteps || arithmetic.roundoff > fineRoundoff
             ? addReach(inputs, InputScale::own)
             : Result<void>();
}

Result<void> OraclePasses::leaveOpen(const Values &inputs, double most) {
  auto own = kernels.plain->run(inputs);
  if (!own)
    return own.error();
  OraclePass &pass = passes.back();
  pass.isOpen.resize(signature.size());
  for (size_t i = 0; i < signature.size(); ++i) {
    size_t elements = own->values[i].size();
    // What flags allow to be computed in another order may overflow on the way.
    double largest = std::sqrt(largestFinite(signature[i].elementType));
    pass.isOpen[i].resize(elements);
    for (size_t e = 0; e < elements; ++e) {
      double result = pass.expected[i][e];
      bool areFinite =
          std::isfinite(own->values[i][e]) && std::isfinite(result);
      bool isUndetermined =
          std::isfinite(result) && pass.slack[i][e] > most * std::fabs(result);
      pass.isOpen[i][e] = isUndetermined || (isFinite && !areFinite) ||
                          (isRelaxed && !(std::fabs(result) < largest)) ||
                          (hasAnyZero && std::isinf(result));
    }
  }
  pass.openWhereWrong(signature, own->rounded, arithmetic.roundoff);
  return {};
}
