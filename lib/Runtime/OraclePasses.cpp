//===- OraclePasses.cpp - Makes the correctness gate's passes -------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OraclePasses.h"

#include "tonno/Runtime/DeclaredData.h"
#include "tonno/Runtime/Elements.h"
#include "tonno/Runtime/Sensitivity.h"

#include <algorithm>
#include <cmath>

using namespace tonno;

OraclePasses::OraclePasses(const Problem &problem, const Signature &signature,
                           const Arithmetic &arithmetic, bool allowNan,
                           ReferenceKernel reference,
                           std::optional<ReferenceKernel> nudged, uint64_t seed)
    : signature(signature),
      reductionLength(static_cast<double>(problem.reductionLength)),
      isExact(problem.exact), sumsOfProducts(problem.sumsOfProducts),
      arithmetic(arithmetic), allowNan(allowNan),
      reference(std::move(reference)), nudged(std::move(nudged)),
      generator(seed) {}

Result<std::vector<OraclePass>> OraclePasses::make() {
  auto declared = drawDeclared(signature, generator);
  if (!declared)
    return declared.error();
  if (isExact)
    if (auto added = addExact(exactData(signature, *declared)); !added)
      return added.error();
  Values reals = drawReals(signature, *declared, generator);
  if (auto added = addReal("real-valued", reals, reference.run(reals)); !added)
    return added.error();
  return std::move(passes);
}

/// Of the finite values; scaled by the largest, whose square may overflow.
static double rootMeanSquare(std::span<const double> values) {
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

/// Whether there are real inputs, and none varies by more than this share of
/// its magnitude.
static bool areNearlyConstant(const Signature &signature, const Values &inputs,
                              double share) {
  bool areThere = false;
  for (size_t i = 0; i < signature.size(); ++i) {
    const std::vector<double> &values = inputs[i];
    if (values.empty() || !isFloatingPoint(signature[i].elementType))
      continue;
    auto [least, largest] = std::minmax_element(values.begin(), values.end());
    if (*largest - *least > share * largestMagnitude(values))
      return false;
    areThere = true;
  }
  return areThere;
}

Tolerance OraclePasses::realTolerance(const BufferSpec &buffer,
                                      const Values &inputs,
                                      std::span<const double> rounded) const {
  Tolerance tolerance{1.02 * unitRoundoff(buffer.elementType),
                      smallestSubnormal(buffer.elementType) / 2};
  if (!isExact)
    return tolerance; // the rest is in proportion to the sensitivity
  double growth = 8 * std::sqrt(reductionLength);
  // Roundings of varied data cancel. Of data that does not vary at the sums'
  // precision they are equal, and add up.
  if (areNearlyConstant(
          signature, inputs,
          std::min(4 * reductionLength * arithmetic.roundoff, 1.0)))
    growth = std::max(growth, reductionLength);
  tolerance.roundoffs = growth * rootMeanSquare(rounded);
  return tolerance;
}

Result<void> OraclePasses::addReal(const std::string &name,
                                   const Values &inputs,
                                   Result<ReferenceResults> expected) {
  if (auto added = add({name}, inputs, std::move(expected)); !added)
    return added;
  return isExact ? Result<void>() : addSlack(inputs);
}

Result<void> OraclePasses::addSlack(const Values &inputs) {
  OraclePass &pass = passes.back();
  auto sensitivity =
      findSensitivity(reference, signature, inputs, pass.expected, generator);
  if (!sensitivity)
    return sensitivity.error();
  if (nudged) {
    auto results = nudged->run(inputs);
    if (!results)
      return results.error();
    widenSensitivity(*sensitivity, results->values, pass.expected);
  }
  double growth = 16 * std::sqrt(reductionLength);
  for (std::vector<double> &elements : *sensitivity)
    for (double &element : elements)
      element *= growth;
  pass.slack = std::move(*sensitivity);
  return {};
}

Result<void> OraclePasses::add(OraclePass pass, const Values &inputs,
                               Result<ReferenceResults> expected) {
  if (!expected)
    return expected.error();
  pass.tolerances.resize(signature.size());
  for (size_t i = 0; i < signature.size(); ++i) {
    const std::vector<double> &values = expected->values[i];
    auto nans = std::count_if(values.begin(), values.end(),
                              [](double x) { return std::isnan(x); });
    if (!allowNan &&
        static_cast<double>(nans) > 0.01 * static_cast<double>(values.size()))
      return Error{"the reference gives NaN in " + std::to_string(nans) +
                   " of " + std::to_string(values.size()) + " elements of " +
                   signature[i].name +
                   "; where it is NaN, nothing is verified; if it should be, "
                   "give --allow-nan"};
    ElementType type = signature[i].elementType;
    if (!pass.exact && isFloatingPoint(type))
      pass.tolerances[i] = realTolerance(signature[i], inputs,
                                         decode(type, expected->rounded[i]));
  }
  pass.inputs = encodeAll(signature, inputs);
  pass.expected = std::move(expected->values);
  pass.rounded = std::move(expected->rounded);
  passes.push_back(std::move(pass));
  return {};
}
