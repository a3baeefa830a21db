//===- Oracle.cpp - Whether a candidate computes the right thing ----------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/Oracle.h"
#include "tonno/Runtime/Elements.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>

using namespace tonno;

/// Inputs +-1.
static double drawSign(std::mt19937_64 &generator) {
  return (generator() & 1) ? 1.0 : -1.0;
}

/// Uniform among the integers of magnitude up to `limit`.
static double drawInteger(std::mt19937_64 &generator, double limit) {
  auto count = static_cast<uint64_t>(2 * limit + 1);
  return static_cast<double>(generator() % count) - limit;
}

/// Uniform in [-1, 1), with 53 bits.
static double drawReal(std::mt19937_64 &generator) {
  return static_cast<double>(generator() >> 11) * 0x1p-52 - 1;
}

static bool isInput(const BufferSpec &buffer) {
  return buffer.access == Access::read || buffer.access == Access::read_write;
}

static bool isOutput(const BufferSpec &buffer) {
  return buffer.access == Access::write || buffer.access == Access::read_write;
}

/// Fills every buffer that is read; draw is asked with the input's number.
template <typename Draw>
static BufferContents makeInputs(const LaunchPlan &plan, Draw draw) {
  BufferContents contents;
  size_t number = 0;
  for (const BufferSpec &buffer : plan.buffers) {
    std::vector<double> values;
    if (isInput(buffer)) {
      values.resize(buffer.elements());
      for (double &value : values)
        value = draw(number, buffer.elementType);
      ++number;
    }
    contents.push_back(encode(buffer.elementType, values));
  }
  return contents;
}

static Result<void> checkPlans(const LaunchPlan &plan,
                               const LaunchPlan &reference) {
  if (plan.buffers.size() != reference.buffers.size())
    return Error{"the reference has " +
                 std::to_string(reference.buffers.size()) +
                 " buffers, the kernel " + std::to_string(plan.buffers.size())};
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferSpec &ours = plan.buffers[i];
    const BufferSpec &theirs = reference.buffers[i];
    if (ours.shape != theirs.shape || ours.access != theirs.access)
      return Error{"the reference disagrees about buffer " + ours.name};
    for (ElementType type : {ours.elementType, theirs.elementType})
      if (!isSupported(type))
        return Error{"buffer " + ours.name + " has element type " +
                     std::string(toString(type)) +
                     ", which the oracle can't compare"};
  }
  return {};
}

Result<Oracle> Oracle::create(const Problem &problem, const LaunchPlan &plan,
                              uint64_t seed, Device &host) {
  if (auto agree = checkPlans(plan, problem.reference.plan); !agree)
    return agree.error();
  Oracle oracle(problem, plan);
  std::mt19937_64 generator(seed);
  if (problem.exact) {
    oracle.passes.push_back(
        {"small exact",
         true,
         makeInputs(plan,
                    [&](size_t, ElementType) { return drawSign(generator); }),
         {}});
    // |a| <= wide, |b| <= 5: any sum of K products fits the accumulator.
    double wide =
        std::floor(largestExactInteger(problem.accumulator) /
                   (5.0 * static_cast<double>(problem.reductionLength)));
    oracle.passes.push_back(
        {"wide exact",
         true,
         makeInputs(plan,
                    [&](size_t number, ElementType type) {
                      double limit =
                          number % 2 == 0 ? std::max(wide, 1.0) : 5.0;
                      return drawInteger(
                          generator,
                          std::min(limit, largestExactInteger(type)));
                    }),
         {}});
  }
  oracle.passes.push_back({"real-valued",
                           false,
                           makeInputs(plan,
                                      [&](size_t, ElementType type) {
                                        double value = drawReal(generator);
                                        return isFloatingPoint(type)
                                                   ? value
                                                   : std::round(value * 8);
                                      }),
                           {}});

  auto reference = host.load(problem.reference);
  if (!reference)
    return Error{"the reference does not load: " + reference.error().message};
  for (Pass &pass : oracle.passes)
    if (auto run = oracle.runReference(host, problem.reference.plan,
                                       **reference, pass);
        !run)
      return run.error();
  return oracle;
}

Result<void> Oracle::runReference(Device &host, const LaunchPlan &referencePlan,
                                  Executable &reference, Pass &pass) const {
  auto failed = [](const Failure &failure) {
    return Error{"the reference failed: " + failure.message};
  };
  auto block = DeviceBlock::allocate(host, BufferSet::bytesFor(referencePlan));
  if (!block)
    return failed(block.error());
  std::mt19937_64 layout(0);
  auto set = BufferSet::place(host, referencePlan, block->get(), layout);
  if (!set)
    return failed(set.error());
  BufferContents inputs;
  for (size_t i = 0; i < plan.buffers.size(); ++i)
    inputs.push_back(
        encode(referencePlan.buffers[i].elementType,
               decode(plan.buffers[i].elementType, pass.inputs[i])));
  if (auto filled = set->fill(inputs); !filled)
    return failed(filled.error());
  if (auto seconds = host.launch(reference, set->pointers()); !seconds)
    return failed(seconds.error());
  auto results = set->download();
  if (!results)
    return failed(results.error());
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    auto &expected = pass.expected.emplace_back();
    if (!isOutput(plan.buffers[i]))
      continue;
    expected = decode(referencePlan.buffers[i].elementType, (*results)[i]);
    auto nans = std::count_if(expected.begin(), expected.end(),
                              [](double x) { return std::isnan(x); });
    if (static_cast<double>(nans) > 0.01 * static_cast<double>(expected.size()))
      return Error{"the reference gives NaN in " + std::to_string(nans) +
                   " of " + std::to_string(expected.size()) + " elements of " +
                   plan.buffers[i].name + "; nothing could be verified"};
  }
  return {};
}

Result<void, Failure> Oracle::verify(Device &device,
                                     Executable &candidate) const {
  auto block = DeviceBlock::allocate(device, BufferSet::bytesFor(plan));
  if (!block)
    return block.error();
  std::mt19937_64 layout(0);
  auto set = BufferSet::place(device, plan, block->get(), layout);
  if (!set)
    return set.error();
  for (const Pass &pass : passes) {
    if (auto filled = set->fill(pass.inputs); !filled)
      return filled;
    if (auto seconds = device.launch(candidate, set->pointers()); !seconds)
      return seconds.error();
    if (auto intact = set->checkRedzones(); !intact)
      return intact;
    auto found = set->download();
    if (!found)
      return found.error();
    for (size_t i = 0; i < plan.buffers.size(); ++i)
      if (plan.buffers[i].access == Access::read &&
          (*found)[i] != pass.inputs[i])
        return Failure{Status::out_of_bounds,
                       "wrote into its input " + plan.buffers[i].name};
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
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferSpec &buffer = plan.buffers[i];
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
