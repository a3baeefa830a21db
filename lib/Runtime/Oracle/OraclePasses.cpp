//===- Passes of tame inputs ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OraclePasses.h"
#include "tonno/Runtime/Elements.h"
#include "InputData.h"
#include "ReferenceKernel.h"
#include "SpecialNumbers.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace tonno;

/// So many different numbers give so many different terms that a sum's
/// roundings repeat.
static constexpr size_t fewValues = 64;
/// Elements whose root mean square may by chance be far below what is usual.
static constexpr size_t fewResults = 16;

OraclePasses::OraclePasses(const Problem &problem, const Signature &signature,
                           const Arithmetic &arithmetic, bool allowNan,
                           ReferenceKernels kernels, uint64_t seed)
    : problem(problem), signature(signature),
      reductionLength(static_cast<double>(problem.reductionLength)),
      isExact(problem.exact), arithmetic(arithmetic),
      isLowered(arithmetic.roundoff >
                Arithmetic::of(problem.accumulator).roundoff),
      allowNan(allowNan), kernels(std::move(kernels)),
      reference(this->kernels.reference), generator(seed) {}

/// Returns true if integers are declared, which may be indices out of bounds.
static bool declaresIntegers(const Signature &signature) {
  return std::ranges::any_of(signature, [](const BufferSpec &buffer) {
    return isInput(buffer) && buffer.input &&
           !isFloatingPoint(buffer.elementType);
  });
}

Result<std::vector<OraclePass>> OraclePasses::make() {
  auto declared = TONNO_TRY(drawDeclared(signature, generator));
  if (isExact)
    TONNO_TRY(addExact(exactData(signature, declared)));
  if (problem.takesAnyIntegers && !problem.computesReals)
    TONNO_TRY(addAnyIntegers(declared));
  Values reals = drawReals(signature, declared, generator);
  if (declaresIntegers(signature))
    TONNO_TRY(reference.checkAccesses(reals));
  auto tame = TONNO_TRY(fitReals(declared, reals));
  const Values &results = tame.results.values;
  if (reductionLength == 0) {
    auto fanIn = TONNO_TRY(
        estimateFanIn(reference, signature, reals, results, generator));
    reductionLength = fanIn;
  }
  if (!isExact)
    TONNO_TRY(addInvariant(declared, reals, results));
  TONNO_TRY(addSpecialPasses(declared, reals));
  if (problem.takesAnyIntegers && problem.computesReals)
    TONNO_TRY(addIntegersBesideReals(declared, reals));
  TONNO_TRY(addReal("real-valued", reals, std::move(tame)));
  return std::move(passes);
}

/// What a result depends on in many ways, as after some iterations, a few
/// movements may all leave alone by chance: right results of one of 1000 were
/// then refused, in 3 of 100 sessions. In f16 and bf16 more of them would hide
/// an exp of less precision.
size_t OraclePasses::sensitivityRuns() const {
  constexpr size_t least = 4, most = 12;
  return arithmetic.roundoff > fineRoundoff ? least
                                            : std::max(least, affordable(most));
}

/// Whether values differ by no more than this share of their magnitude, or are
/// but a few different ones.
static bool hardlyVary(std::span<const double> values, double share) {
  auto [least, largest] = std::minmax_element(values.begin(), values.end());
  if (*largest - *least <= share * largestMagnitude(values))
    return true;
  std::set<double> different;
  for (double value : values)
    if (different.insert(value); different.size() > fewValues)
      return false;
  return true;
}

double OraclePasses::growthOfRoundings(const Values &inputs,
                                       double factor) const {
  double varied = factor * std::sqrt(reductionLength);
  double share = std::min(4 * reductionLength * arithmetic.roundoff, 1.0);
  size_t monotonous = 0, others = 0;
  for (size_t i = 0; i < signature.size(); ++i)
    // What is shorter is not what is summed up.
    if (isFloatingPoint(signature[i].elementType) && !inputs[i].empty() &&
        static_cast<double>(inputs[i].size()) >= reductionLength)
      ++(hardlyVary(inputs[i], share) ? monotonous : others);
  // A product varies as soon as one factor does; of other terms nobody knows.
  bool areEqual = monotonous > 0 && (!isExact || others == 0);
  return areEqual ? std::max(varied, reductionLength) : varied;
}

/// Approximations of exp and division, GPUs and fast arithmetic make 0 of
/// subnormal numbers; not of f16, which is computed in f32.
double OraclePasses::absoluteTolerance(ElementType type, bool mayFlush) {
  return mayFlush && type != ElementType::f16 ? smallestNormal(type)
                                              : smallestSubnormal(type) / 2;
}

/// Returns true if sums are of reals that are no inputs, as of a table in which
/// integers look them up: then no sensitivity to inputs shows their size.
bool OraclePasses::sumsConstants() const {
  return reductionLength > 1 &&
         std::ranges::none_of(signature, [](const BufferSpec &buffer) {
           return isInput(buffer) && isFloatingPoint(buffer.elementType);
         });
}

Tolerance OraclePasses::realTolerance(const BufferSpec &buffer,
                                      const Values &inputs,
                                      std::span<const double> rounded) const {
  double roundings =
      problem.isRounded ? 2.04 : 1.02; // the reference has one, too
  Tolerance tolerance{roundings * unitRoundoff(buffer.elementType),
                      absoluteTolerance(buffer.elementType, !isExact)};
  if (!isExact && !sumsConstants())
    return tolerance; // the rest is in proportion to the sensitivity
  tolerance.roundoffs =
      growthOfRoundings(inputs, isExact ? 8 : 16) * rootMeanSquare(rounded);
  return tolerance;
}

Result<void> OraclePasses::addReal(const std::string &name,
                                   const Values &inputs, TameResults expected) {
  if (auto added = add({name}, inputs, std::move(expected.results)); !added)
    return added;
  passes.back().isOpen = std::move(expected.overflows);
  auto widened = !isExact ? addSlack(inputs, InputScale::buffer,
                                     growthOfRoundings(inputs, 16))
                 : problem.multipliesResults ? widenProducts(inputs)
                                             : widenFewResults(inputs);
  if (!widened)
    return widened;
  return problem.hasSteps ? addReach(inputs, InputScale::buffer, expected.plain)
                          : Result<void>();
}

Result<void> OraclePasses::addIfVerified(const std::string &name,
                                         const Values &inputs) {
  auto tame = TONNO_TRY(runTame(inputs));
  return isVerified(tame) ? addReal(name, inputs, std::move(tame))
                          : Result<void>();
}

Result<void> OraclePasses::addReach(const Values &inputs, InputScale scale,
                                    const Values &plain) {
  OraclePass &pass = passes.back();
  double share =
      growthOfRoundings(inputs, isExact ? 8 : 16) * arithmetic.roundoff;
  auto reach =
      TONNO_TRY(problem.isElementwise
                    ? findElementwiseReach(reference, signature, inputs,
                                           pass.expected, share, scale)
                    : findReach(reference, signature, inputs, pass.expected,
                                share, scale, generator));
  for (ReferenceKernel &beside : kernels.besideSteps) {
    auto results = TONNO_TRY(beside.run(inputs));
    widenReach(reach, results.values);
  }
  if (!plain.empty())
    widenReach(reach, plain);
  pass.lowest = std::move(reach.lowest);
  pass.highest = std::move(reach.highest);
  return {};
}

Result<Values> OraclePasses::findLastSensitivity(const Values &inputs,
                                                 InputScale scale) {
  return findSensitivity(reference, signature, inputs, passes.back().expected,
                         scale, sensitivityRuns(), generator);
}

Result<void> OraclePasses::widenFewResults(const Values &inputs) {
  auto isFew = [](const BufferSpec &buffer) {
    return isOutput(buffer) && isFloatingPoint(buffer.elementType) &&
           buffer.elements() < fewResults;
  };
  if (std::ranges::none_of(signature, isFew))
    return {};
  OraclePass &pass = passes.back();
  auto sensitivity = TONNO_TRY(findLastSensitivity(inputs, InputScale::buffer));
  for (size_t i = 0; i < signature.size(); ++i)
    if (double &bound = pass.tolerances[i].roundoffs; isFew(signature[i]))
      bound = std::max(bound, growthOfRoundings(inputs, 8) *
                                  rootMeanSquare(sensitivity[i]));
  return {};
}

Result<void> OraclePasses::widenProducts(const Values &inputs) {
  OraclePass &pass = passes.back();
  auto sensitivity = TONNO_TRY(findLastSensitivity(inputs, InputScale::buffer));
  double growth = growthOfRoundings(inputs, 8);
  for (size_t i = 0; i < signature.size(); ++i)
    for (double &element : sensitivity[i])
      // In place of what there is, if it is more.
      element = std::max(0.0, growth * element - pass.tolerances[i].roundoffs);
  pass.slack = std::move(sensitivity);
  return {};
}

Result<void> OraclePasses::addSlack(const Values &inputs, InputScale scale,
                                    double growth) {
  OraclePass &pass = passes.back();
  auto sensitivity = TONNO_TRY(findLastSensitivity(inputs, scale));
  if (kernels.nudged) {
    auto results = TONNO_TRY(kernels.nudged->run(inputs));
    widenSensitivity(sensitivity, results.values, pass.expected);
  }
  for (std::vector<double> &elements : sensitivity)
    for (double &element : elements)
      element *= growth;
  pass.slack = std::move(sensitivity);
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
    if (hasManyNans(values))
      return Error{
          "the reference gives NaN in " + std::to_string(nans) + " of " +
          std::to_string(values.size()) + " elements of " + signature[i].name +
          (signature[i].access == Access::write ? ", or leaves them unwritten"
                                                : "") +
          "; where it is NaN, nothing is verified; " +
          adviseInputs("uniform(0.1, 1)") +
          "if it should be, give --allow-nan"};
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
  auto results = TONNO_TRY(reference.run(inputs));
  TameResults tame = {std::move(results)};
  if (!kernels.plain)
    return tame;
  tame.overflows.resize(signature.size());
  auto plain = TONNO_TRY(kernels.plain->run(inputs));
  tame.plain = std::move(plain.values);
  for (size_t i = 0; i < signature.size(); ++i) {
    ElementType type = signature[i].elementType;
    tame.overflows[i].resize(tame.results.values[i].size());
    if (!isFloatingPoint(type))
      continue;
    std::vector<double> rounded = decode(type, tame.results.rounded[i]);
    // An infinity that the result itself rounds to is right.
    for (size_t e = 0; e < rounded.size(); ++e) {
      double found = tame.plain[i][e];
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
  auto results = TONNO_TRY(reference.run(all));
  size_t fewest = countNan(results.values);
  if (fewest >= nans)
    return {};
  // No more of them than it takes.
  for (size_t n = 0; n < drawn.size() && nans > fewest; ++n) {
    Values values = positive(std::span(drawn).subspan(n, 1));
    auto others = TONNO_TRY(reference.run(values));
    if (size_t left = countNan(others.values); left < nans) {
      nans = left;
      reals = std::move(values);
    }
  }
  if (nans > fewest)
    reals = std::move(all);
  return {};
}

Result<TameResults> OraclePasses::fitReals(const Values &declared,
                                           Values &reals) {
  auto drawn = runTame(reals);
  if (!drawn || isTame(*drawn))
    return drawn;
  if (size_t nans = countNan(drawn->results.values); nans > 0 && !allowNan) {
    TONNO_TRY(makePositive(declared, reals, nans));
    drawn = runTame(reals);
    if (!drawn || isTame(*drawn))
      return drawn;
  }
  Values smaller = reals;
  std::vector<size_t> inputs = findDrawnReals(declared);
  int most = inputs.empty() ? 0 : maxHalvings;
  for (int halvings = 0; halvings < most; ++halvings) {
    for (size_t i : inputs) {
      for (double &x : smaller[i])
        x /= 2;
      ElementType type = signature[i].elementType;
      smaller[i] = decode(type, encode(type, smaller[i]));
    }
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
  if (isVerified(*drawn))
    return drawn;
  size_t i = *findOverflowed(*drawn);
  return Error{"the kernel overflows its own types in " +
               std::to_string(std::ranges::count(drawn->overflows[i], true)) +
               " of " + std::to_string(drawn->overflows[i].size()) +
               " elements of " + signature[i].name +
               "; where it does, nothing is verified; " +
               adviseInputs("uniform(-0.001, 0.001)") +
               "if it should overflow, give --allow-nan"};
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

Result<bool> OraclePasses::isHeldExactly(const Values &inputs,
                                         const ReferenceResults &results) {
  if (!kernels.plain)
    return true;
  auto own = TONNO_TRY(kernels.plain->run(inputs));
  for (size_t i = 0; i < signature.size(); ++i) {
    ElementType type = signature[i].elementType;
    bool isSame = isFloatingPoint(type) // which has two zeros
                      ? own.values[i] == decode(type, results.rounded[i])
                      : own.rounded[i] == results.rounded[i];
    if (isOutput(signature[i]) && !isSame)
      return false;
  }
  return true;
}

/// The least that the smaller factor of the wide pass's products may be, and
/// how often the larger one is tried to be found.
static constexpr double narrowIntegers = 5;
static constexpr int maxWidths = 12;

/// The largest result of the reference on the inputs' magnitudes. With sums and
/// products alone it bounds everything that a candidate computes on the way, in
/// whatever order.
Result<double> OraclePasses::largestSum(const Values &inputs) {
  auto results = TONNO_TRY(reference.run(absolute(inputs)));
  double largest = 0;
  for (const std::vector<double> &values : results.values)
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
  if (!problem.sumsOfProducts) {
    // No bound is known; short sums of signs stay far below any limit.
    double room = limit / (256 * reductionLength);
    if (room < 1 || !isSmall(signature, fixed, room))
      return {};
    auto results = TONNO_TRY(reference.run(signs));
    // Sums of sums, such as products of several matrices, may be long.
    auto isHeld = TONNO_TRY(isHeldExactly(signs, results));
    return isHeld ? add({"small exact", true}, signs, std::move(results))
                  : Result<void>();
  }
  if (!magnitudesAreAmongThem(signature, fixed))
    return {};
  auto sum = TONNO_TRY(largestSum(signs));
  if (sum > limit)
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
    auto sum = TONNO_TRY(largestSum(integers));
    double shrink = std::min(0.7, std::sqrt(limit / sum));
    if (sum <= limit) {
      auto results = TONNO_TRY(reference.run(integers));
      // An infinite result would hide all that led to it.
      double factor = overflow(signature, results.values);
      if (factor <= 1) {
        if (auto added =
                add({wideExactPass, true}, integers, std::move(results));
            !added)
          return added;
        // By which explanations tell less precise sums from wrong ones.
        OraclePass &pass = passes.back();
        for (size_t i = 0; i < signature.size(); ++i)
          pass.tolerances[i].roundoffs =
              growthOfRoundings(integers, 8) * rootMeanSquare(pass.expected[i]);
        return {};
      }
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
    auto results = TONNO_TRY(reference.run(inputs));
    OraclePass pass;
    pass.name = "any integers, " + std::string(toString(data));
    pass.exact = true;
    pass.isForWinners = data != IntegerData::mixed;
    pass.inputs = std::move(inputs);
    pass.expected = std::move(results.values);
    pass.rounded = std::move(results.rounded);
    pass.tolerances.resize(signature.size());
    passes.push_back(std::move(pass));
  }
  return {};
}
