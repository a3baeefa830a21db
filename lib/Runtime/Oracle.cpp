//===- Oracle.cpp - Whether a candidate computes the right thing ----------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/Oracle.h"
#include "tonno/Runtime/Elements.h"
#include "tonno/Runtime/ReferenceKernel.h"

#include <algorithm>
#include <cmath>
#include <sstream>

using namespace tonno;

/// The larger factor of the wide pass's products, and how often its smaller
/// one is tried to be found.
static constexpr double narrowIntegers = 5;
static constexpr int maxWidths = 12;

Result<Oracle> Oracle::create(const Problem &problem,
                              const Signature &signature, uint64_t seed,
                              Device &host) {
  auto reference = ReferenceKernel::load(host, problem.reference, signature);
  if (!reference)
    return reference.error();
  Oracle oracle(problem, signature);
  std::mt19937_64 generator(seed);
  if (problem.exact)
    if (auto added = oracle.addExactPasses(*reference, generator); !added)
      return added.error();
  if (auto added = oracle.addPass("real-valued", false,
                                  drawReals(signature, generator), *reference);
      !added)
    return added.error();
  return oracle;
}

/// Whether the reference's results on the inputs' magnitudes are integers that
/// the accumulator holds. With sums and products alone they bound everything
/// that a candidate computes on the way, in whatever order.
static Result<double> largestMagnitude(ReferenceKernel &reference,
                                       const Values &inputs) {
  auto results = reference.run(absolute(inputs));
  if (!results)
    return results.error();
  double largest = 0;
  for (const std::vector<double> &values : *results)
    for (double value : values)
      largest = std::max(largest, std::fabs(value));
  return largest;
}

Result<void> Oracle::addExactPasses(ReferenceKernel &reference,
                                    std::mt19937_64 &generator) {
  double limit = largestExactInteger(accumulator);
  Values signs = drawSigns(signature, generator);
  if (!sumsOfProducts) {
    // No bound is known; short sums of signs stay far below any limit.
    bool isShort = static_cast<double>(reductionLength) * 256 <= limit;
    return isShort ? addPass("small exact", true, signs, reference)
                   : Result<void>();
  }
  auto magnitude = largestMagnitude(reference, signs);
  if (!magnitude)
    return magnitude.error();
  if (*magnitude > limit)
    return {};
  if (auto added = addPass("small exact", true, signs, reference); !added)
    return added;

  // Right at once for a product of two buffers; narrowed down for others.
  double wide = std::floor(
      limit / (narrowIntegers * static_cast<double>(reductionLength)));
  for (int tries = 0; tries < maxWidths && wide >= 2; ++tries) {
    Values integers = drawIntegers(signature, generator, wide,
                                   std::min(wide, narrowIntegers));
    magnitude = largestMagnitude(reference, integers);
    if (!magnitude)
      return magnitude.error();
    if (*magnitude <= limit)
      return addPass("wide exact", true, integers, reference);
    wide = std::floor(wide * std::min(0.7, std::sqrt(limit / *magnitude)));
  }
  return {};
}

Result<void> Oracle::addPass(std::string name, bool exact, const Values &inputs,
                             ReferenceKernel &reference) {
  auto expected = reference.run(inputs);
  if (!expected)
    return expected.error();
  for (size_t i = 0; i < signature.size(); ++i) {
    const std::vector<double> &values = (*expected)[i];
    auto nans = std::count_if(values.begin(), values.end(),
                              [](double x) { return std::isnan(x); });
    if (static_cast<double>(nans) > 0.01 * static_cast<double>(values.size()))
      return Error{"the reference gives NaN in " + std::to_string(nans) +
                   " of " + std::to_string(values.size()) + " elements of " +
                   signature[i].name + "; nothing could be verified"};
  }
  passes.push_back({std::move(name), exact, encodeAll(signature, inputs),
                    std::move(*expected)});
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

Result<void, Failure> Oracle::compare(const Pass &pass,
                                      const BufferContents &found) const {
  for (size_t i = 0; i < signature.size(); ++i) {
    const BufferSpec &buffer = signature[i];
    if (!isOutput(buffer))
      continue;
    const std::vector<double> &expected = pass.expected[i];
    std::vector<double> values = decode(buffer.elementType, found[i]);
    // Once rounded, as a candidate that sums exactly would store it.
    std::vector<double> rounded =
        decode(buffer.elementType, encode(buffer.elementType, expected));
    double common = 0;
    double relative = 0;
    if (!pass.exact && isFloatingPoint(buffer.elementType)) {
      common = 8 * std::sqrt(static_cast<double>(reductionLength)) *
               unitRoundoff(accumulator) * rootMeanSquare(rounded);
      relative = 1.02 * unitRoundoff(buffer.elementType);
    }
    size_t wrong = 0;
    size_t first = 0;
    for (size_t e = 0; e < values.size(); ++e) {
      bool same = std::isnan(expected[e]) ? std::isnan(values[e])
                                          : values[e] == rounded[e];
      double allowed = relative * std::fabs(expected[e]) + common;
      bool near = std::isfinite(expected[e]) &&
                  std::fabs(values[e] - expected[e]) <= allowed;
      if (same || near)
        continue;
      if (wrong++ == 0)
        first = e;
    }
    if (wrong == 0)
      continue;
    std::ostringstream message;
    message.precision(9);
    message << elementName(buffer, first) << " is " << values[first]
            << ", should be " << expected[first];
    if (!pass.exact)
      message << " +- " << relative * std::fabs(expected[first]) + common;
    message << "; " << wrong << " of " << values.size()
            << " elements are wrong (" << pass.name << " pass)";
    return Failure{Status::wrong, message.str()};
  }
  return {};
}
