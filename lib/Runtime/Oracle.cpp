//===- Oracle.cpp - Whether a candidate computes the right thing ----------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/Oracle.h"
#include "tonno/Runtime/DeclaredData.h"
#include "tonno/Runtime/Elements.h"
#include "tonno/Runtime/ReferenceKernel.h"
#include "tonno/Runtime/Sensitivity.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <sstream>

using namespace tonno;

/// The least that the smaller factor of the wide pass's products may be, and
/// how often the larger one is tried to be found.
static constexpr double narrowIntegers = 5;
static constexpr int maxWidths = 12;

double Tolerance::at(double expected) const {
  return relative * std::fabs(expected) + absolute;
}

double Oracle::Pass::allowed(size_t buffer, size_t element) const {
  double beside = slack.empty() ? 0 : slack[buffer][element];
  return tolerances[buffer].at(expected[buffer][element]) + beside;
}

Result<Oracle> Oracle::create(const Problem &problem,
                              const Signature &signature, uint64_t seed,
                              Device &host) {
  auto reference = ReferenceKernel::load(host, problem.reference, signature);
  if (!reference)
    return reference.error();
  Oracle oracle(problem, signature);
  std::mt19937_64 generator(seed);
  auto declared = drawDeclared(signature, generator);
  if (!declared)
    return declared.error();
  if (problem.exact)
    if (auto added = oracle.addExactPasses(
            *reference, exactData(signature, *declared), generator);
        !added)
      return added.error();
  Values reals = drawReals(signature, *declared, generator);
  if (auto added =
          oracle.addPass("real-valued", false, reals, reference->run(reals));
      !added)
    return added.error();
  if (problem.exact)
    return oracle;
  std::optional<Values> nudged;
  if (problem.nudged) {
    auto kernel = ReferenceKernel::load(host, *problem.nudged, signature);
    if (!kernel)
      return kernel.error();
    auto results = kernel->run(reals);
    if (!results)
      return results.error();
    nudged = std::move(results->values);
  }
  if (auto added = oracle.addSlack(*reference, reals, nudged, generator);
      !added)
    return added.error();
  return oracle;
}

Result<void> Oracle::addSlack(ReferenceKernel &reference, const Values &inputs,
                              const std::optional<Values> &nudged,
                              std::mt19937_64 &generator) {
  Pass &pass = passes.back();
  auto sensitivity =
      findSensitivity(reference, signature, inputs, pass.expected, generator);
  if (!sensitivity)
    return sensitivity.error();
  if (nudged)
    widenSensitivity(*sensitivity, *nudged, pass.expected);
  double factor = 16 * std::sqrt(reductionLength) * unitRoundoff(accumulator);
  for (std::vector<double> &elements : *sensitivity)
    for (double &element : elements)
      element *= factor;
  pass.slack = std::move(*sensitivity);
  return {};
}

static double largestMagnitude(std::span<const double> values) {
  double largest = 0;
  for (double value : values)
    largest = std::max(largest, std::fabs(value));
  return largest;
}

/// The largest result of the reference on the inputs' magnitudes. With sums and
/// products alone it bounds everything that a candidate computes on the way, in
/// whatever order.
static Result<double> largestSum(ReferenceKernel &reference,
                                 const Values &inputs) {
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

Result<void> Oracle::addExactPasses(ReferenceKernel &reference,
                                    const Values &fixed,
                                    std::mt19937_64 &generator) {
  double limit = largestExactInteger(accumulator);
  Values signs = drawSigns(signature, fixed, generator);
  if (!sumsOfProducts) {
    // No bound is known; short sums of signs stay far below any limit.
    double room = limit / (256 * reductionLength);
    if (room < 1 || !isSmall(signature, fixed, room))
      return {};
    return addPass("small exact", true, signs, reference.run(signs));
  }
  if (!magnitudesAreAmongThem(signature, fixed))
    return {};
  auto sum = largestSum(reference, signs);
  if (!sum)
    return sum.error();
  if (*sum > limit)
    return {};
  if (auto added = addPass("small exact", true, signs, reference.run(signs));
      !added)
    return added;
  return addWidePass(reference, fixed, generator);
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

Result<void> Oracle::addWidePass(ReferenceKernel &reference,
                                 const Values &fixed,
                                 std::mt19937_64 &generator) {
  double limit = largestExactInteger(accumulator);
  // Right at once for a product of two buffers; narrowed down for others.
  double wide = std::min(std::floor(limit / (narrowIntegers * reductionLength)),
                         largestDrawn(signature, fixed));
  double narrow =
      std::max(narrowIntegers, std::floor(limit / (reductionLength * wide)));
  for (int tries = 0; tries < maxWidths && wide >= 2; ++tries) {
    Values integers =
        drawIntegers(signature, fixed, generator, wide, std::min(wide, narrow));
    auto sum = largestSum(reference, integers);
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
        return addPass("wide exact", true, integers, std::move(results));
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

Tolerance Oracle::realTolerance(const BufferSpec &buffer, const Values &inputs,
                                std::span<const double> rounded) const {
  Tolerance tolerance{1.02 * unitRoundoff(buffer.elementType),
                      smallestSubnormal(buffer.elementType) / 2};
  if (!isExact)
    return tolerance; // the rest is in proportion to the sensitivity
  double roundoff = unitRoundoff(accumulator);
  double growth = 8 * std::sqrt(reductionLength);
  // Roundings of varied data cancel. Of data that does not vary at the sums'
  // precision they are equal, and add up.
  if (areNearlyConstant(signature, inputs,
                        std::min(4 * reductionLength * roundoff, 1.0)))
    growth = std::max(growth, reductionLength);
  tolerance.absolute += growth * roundoff * rootMeanSquare(rounded);
  return tolerance;
}

Result<void> Oracle::addPass(std::string name, bool exact, const Values &inputs,
                             Result<ReferenceResults> expected) {
  if (!expected)
    return expected.error();
  std::vector<Tolerance> tolerances(signature.size());
  for (size_t i = 0; i < signature.size(); ++i) {
    const std::vector<double> &values = expected->values[i];
    auto nans = std::count_if(values.begin(), values.end(),
                              [](double x) { return std::isnan(x); });
    if (static_cast<double>(nans) > 0.01 * static_cast<double>(values.size()))
      return Error{"the reference gives NaN in " + std::to_string(nans) +
                   " of " + std::to_string(values.size()) + " elements of " +
                   signature[i].name + "; nothing could be verified"};
    ElementType type = signature[i].elementType;
    if (!exact && isFloatingPoint(type))
      tolerances[i] = realTolerance(signature[i], inputs,
                                    decode(type, expected->rounded[i]));
  }
  passes.push_back({std::move(name), exact, encodeAll(signature, inputs),
                    std::move(expected->values), std::move(expected->rounded),
                    std::move(tolerances)});
  return {};
}

Result<void, Failure> Oracle::verify(Device &device, Executable &candidate,
                                     const LaunchPlan &plan) const {
  auto block = DeviceBlock::allocate(device, BufferSet::bytesFor(plan.buffers));
  if (!block)
    return block.error();
  std::mt19937_64 layout(0);
  auto set = BufferSet::place(device, plan.buffers, block->start(), layout);
  if (!set)
    return set.error();
  for (const Pass &pass : passes) {
    if (auto filled = set->fill(pass.inputs); !filled)
      return filled;
    if (auto launched = device.launch(candidate, set->pointers()); !launched)
      return launched;
    if (auto intact = set->checkRedzones(); !intact)
      return intact;
    auto found = set->download();
    if (!found)
      return found.error();
    for (size_t i = 0; i < signature.size(); ++i)
      if (signature[i].access == Access::read && (*found)[i] != pass.inputs[i])
        return Failure{Status::out_of_bounds,
                       "wrote into its input " + signature[i].name};
    if (auto equal = compare(pass, *found); !equal)
      return equal;
  }
  return {};
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

static Mismatch findMismatch(const BufferSpec &buffer,
                             const std::function<double(size_t)> &allowed,
                             std::span<const double> expected,
                             std::span<const std::byte> roundedBytes,
                             std::span<const std::byte> foundBytes) {
  std::vector<double> rounded = decode(buffer.elementType, roundedBytes);
  std::vector<double> found = decode(buffer.elementType, foundBytes);
  size_t bytes = sizeOf(buffer.elementType);
  bool isFloat = isFloatingPoint(buffer.elementType);
  auto isRight = [&](size_t e) {
    // Not by their values: those of 64 bits may not be doubles.
    if (!isFloat)
      return std::memcmp(&roundedBytes[e * bytes], &foundBytes[e * bytes],
                         bytes) == 0;
    if (std::isnan(expected[e]))
      return std::isnan(found[e]);
    return found[e] == rounded[e] ||
           (std::isfinite(expected[e]) &&
            std::fabs(found[e] - expected[e]) <= allowed(e));
  };
  Mismatch mismatch;
  for (size_t e = 0; e < found.size(); ++e)
    if (!isRight(e) && mismatch.count++ == 0)
      mismatch.first = e;
  return mismatch;
}

Result<void, Failure> Oracle::compare(const Pass &pass,
                                      const BufferContents &found) const {
  for (size_t i = 0; i < signature.size(); ++i) {
    const BufferSpec &buffer = signature[i];
    if (!isOutput(buffer))
      continue;
    auto allowed = [&](size_t e) { return pass.allowed(i, e); };
    Mismatch wrong = findMismatch(buffer, allowed, pass.expected[i],
                                  pass.rounded[i], found[i]);
    if (wrong.count == 0)
      continue;
    size_t bytes = sizeOf(buffer.elementType);
    double expected = pass.expected[i][wrong.first];
    std::ostringstream message;
    message.precision(9);
    message << elementName(buffer, wrong.first) << " is "
            << decode(buffer.elementType, std::span(found[i]).subspan(
                                              wrong.first * bytes, bytes))[0]
            << ", should be " << expected;
    if (!pass.exact)
      message << " +- " << allowed(wrong.first);
    message << "; " << wrong.count << " of " << buffer.elements()
            << " elements are wrong (" << pass.name << " pass)";
    return Failure{Status::wrong, message.str()};
  }
  return {};
}
