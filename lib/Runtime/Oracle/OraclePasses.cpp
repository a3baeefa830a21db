//===- Passes of the correctness gate -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/Elements.h"
#include "Oracle.h"
#include "ReferenceKernel.h"

#include <algorithm>
#include <cmath>
#include <set>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace tonno;

/// Up to which results move in proportion to roundings: f32's and f64's.
static constexpr double fineRoundoff = 0x1p-20;
/// Relative error of functions that fast-math flags allow to approximate.
static constexpr double approximation = 0x1p-11;

static bool isRealInput(const BufferSpec &buffer) {
  return isInput(buffer) && isFloatingPoint(buffer.elementType);
}

static bool areFinite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
}

static size_t countNan(std::span<const double> values) {
  return static_cast<size_t>(
      std::ranges::count_if(values, [](double x) { return std::isnan(x); }));
}

static size_t countAllNan(const Values &results) {
  size_t count = 0;
  for (const std::vector<double> &values : results)
    count += countNan(values);
  return count;
}

template <typename Map> static Values mapNumbers(Values values, Map map) {
  for (std::vector<double> &numbers : values)
    std::ranges::transform(numbers, numbers.begin(), map);
  return values;
}

/// Returns true if more than 1 % of the elements are concerned.
static bool exceedsOnePercent(size_t count, size_t elements) {
  return 100 * count > elements;
}

/// Returns true if values differ by a share of up to 1 of their magnitude, or
/// only few different ones occur.
static bool isNearlyConstant(std::span<const double> values, double share) {
  // More different numbers give terms whose roundings don't repeat.
  constexpr size_t fewValues = 64;
  double least = values.front(), largest = values.front();
  std::set<double> different;
  for (double value : values) {
    least = std::min(least, value);
    largest = std::max(largest, value);
    if (different.size() <= fewValues)
      different.insert(value);
    // Other values cannot make a range small again: they widen it by at least
    // as much as the magnitude.
    if (different.size() > fewValues &&
        largest - least >
            share * std::max(std::fabs(least), std::fabs(largest)))
      return false;
  }
  return true;
}

/// Returns the absolute tolerance of a type. Approximations of exp and
/// division, GPUs and fast arithmetic flush subnormal numbers to 0, except in
/// f16 and narrower types, which are computed in f32.
static double absoluteTolerance(ElementType type, bool mayFlush) {
  return mayFlush && !isComputedInWiderType(type) ? smallestNormal(type)
                                                  : smallestSubnormal(type) / 2;
}

/// Returns true if other than the largest inputs are not finite, which are
/// probably factors: x (g r) + (b - m g r) also normalises, but for infinite g.
static bool hasInfiniteFactor(const Values &inputs) {
  size_t most = 0;
  for (const std::vector<double> &values : inputs)
    most = std::max(most, values.size());
  return std::ranges::any_of(inputs, [&](const std::vector<double> &values) {
    return values.size() < most && !areFinite(values);
  });
}

/// Lifts an element in some lines of each dimension: last, first, a tile's end.
static void addPeaks(const BufferSpec &buffer, double height,
                     std::vector<double> &values, std::mt19937_64 &generator) {
  constexpr size_t maxPeaks = 6, tile = 16;
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

namespace {

/// Flushes subnormal numbers to 0 on x86-64 and AArch64, in this thread and in
/// threads that it starts.
class FlushedSubnormals {
public:
  FlushedSubnormals() : before(read()) { write(before | bits); }
  FlushedSubnormals(const FlushedSubnormals &) = delete;
  FlushedSubnormals &operator=(const FlushedSubnormals &) = delete;
  ~FlushedSubnormals() { write(before); }

private:
#if defined(__x86_64__)
  static constexpr uint64_t bits = 0x8040; // of results, and of arguments
  static uint64_t read() { return _mm_getcsr(); }
  static void write(uint64_t control) {
    _mm_setcsr(static_cast<unsigned>(control));
  }
#elif defined(__aarch64__)
  static constexpr uint64_t bits = 1 << 24;
  static uint64_t read() {
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return control;
  }
  static void write(uint64_t control) {
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
  }
#else
  static constexpr uint64_t bits = 0;
  static uint64_t read() { return 0; }
  static void write(uint64_t) {}
#endif

  uint64_t before;
};

/// A problem's kernels, where it has them.
struct ReferenceKernels {
  ReferenceKernel reference;
  std::optional<ReferenceKernel> nudged, plain;
  std::vector<ReferenceKernel> besideSteps;

  static Result<ReferenceKernels>
  load(const Problem &problem, const Signature &signature, Device &host) {
    auto load = [&](const Artifact &artifact) {
      return ReferenceKernel::load(host, artifact, signature);
    };
    ReferenceKernels kernels = {TONNO_TRY(load(problem.reference)), {}, {}, {}};
    if (problem.nudged)
      kernels.nudged.emplace(TONNO_TRY(load(*problem.nudged)));
    if (problem.plain)
      kernels.plain.emplace(TONNO_TRY(load(*problem.plain)));
    for (const Artifact &artifact : problem.besideSteps)
      kernels.besideSteps.push_back(TONNO_TRY(load(artifact)));
    return kernels;
  }
};

/// Right results on tame inputs.
struct ModerateResults {
  ReferenceResults results;
  Values plain = {}; ///< the plain kernel's; empty without one
  /// True for each element of which the plain kernel is not finite, unless the
  /// reference rounds to the same; empty without a plain kernel.
  Flags overflows = {};

  /// Returns the first buffer with many elements that overflow.
  std::optional<size_t> findOverflowed() const {
    for (size_t i = 0; i < overflows.size(); ++i)
      if (exceedsOnePercent(countOverflows(i), overflows[i].size()))
        return i;
    return std::nullopt;
  }
  size_t countOverflows(size_t buffer) const {
    return static_cast<size_t>(std::ranges::count(overflows[buffer], true));
  }
};

/// Draws inputs and runs the reference on them, for one kernel.
class OraclePasses {
public:
  OraclePasses(const Problem &problem, const Signature &signature,
               const Arithmetic &arithmetic, const OracleOptions &options,
               ReferenceKernels kernels, uint64_t seed)
      : problem(problem), signature(signature),
        reductionLength(static_cast<double>(problem.reductionLength)),
        isExact(problem.exact), arithmetic(arithmetic),
        isLowered(arithmetic.roundoff >
                  Arithmetic::of(problem.accumulator).roundoff),
        allowNan(options.allowNan), bits(options.bits),
        kernels(std::move(kernels)), reference(this->kernels.reference),
        generator(seed) {}

  Result<std::vector<OraclePass>> make() {
    auto declared = TONNO_TRY(drawDeclared(signature, generator));
    if (isExact)
      TONNO_TRY(addExact(exactData(signature, declared)));
    if (problem.takesAnyIntegers && !problem.computesReals)
      TONNO_TRY(addAnyIntegers(declared));
    Values reals = drawReals(signature, declared, generator);
    // Integers that are declared may be indices out of bounds.
    if (std::ranges::any_of(signature, [](const BufferSpec &buffer) {
          return isInput(buffer) && buffer.input &&
                 !isFloatingPoint(buffer.elementType);
        }))
      TONNO_TRY(reference.checkAccesses(reals));
    auto tame = TONNO_TRY(fitReals(declared, reals));
    const Values &results = tame.results.values;
    if (reductionLength == 0 && !problem.isOwnReference)
      reductionLength =
          TONNO_TRY(reference.estimateFanIn(reals, results, generator));
    if (!problem.isVerifiedInParts) {
      if (!isExact)
        TONNO_TRY(addInvariant(declared, reals, results));
      TONNO_TRY(addSpecialPasses(declared, reals));
      if (problem.takesAnyIntegers && problem.computesReals)
        TONNO_TRY(addIntegersBesideReals(declared, reals));
      if (bits == Bits::same)
        addForBits(declared);
    }
    TONNO_TRY(addReal("real-valued", reals, std::move(tame)));
    return std::move(passes);
  }

private:
  /// Adds a pass whose tolerances are known, on inputs as they lie in memory.
  void push(OraclePass pass, BufferContents inputs, ReferenceResults results) {
    pass.inputs = std::move(inputs);
    pass.expected = std::move(results.values);
    pass.rounded = std::move(results.rounded);
    pass.tolerances.resize(signature.size());
    passes.push_back(std::move(pass));
  }

  Result<void> add(OraclePass pass, const Values &inputs,
                   ReferenceResults results) {
    pass.tolerances.resize(signature.size());
    for (size_t i = 0; i < signature.size(); ++i) {
      const BufferSpec &buffer = signature[i];
      const std::vector<double> &values = results.values[i];
      if (hasManyNans(values))
        return Error{
            "the reference gives NaN in " + std::to_string(countNan(values)) +
            " of " + std::to_string(values.size()) + " elements of " +
            buffer.name +
            (buffer.access == Access::write ? ", or leaves them unwritten"
                                            : "") +
            "; elements that are NaN are not verified; " +
            adviseInputs("uniform(0.1, 1)") +
            "if NaN is intended, give '--allow-nan'"};
      if (!pass.exact && isFloatingPoint(buffer.elementType))
        pass.tolerances[i] = realTolerance(
            buffer, inputs, decode(buffer.elementType, results.rounded[i]));
    }
    push(std::move(pass), encodeAll(signature, inputs), std::move(results));
    return {};
  }

  Result<void> addReal(const std::string &name, const Values &inputs,
                       ModerateResults expected) {
    TONNO_TRY(add({name}, inputs, std::move(expected.results)));
    passes.back().isOpen = std::move(expected.overflows);
    if (problem.isOwnReference)
      return {};
    TONNO_TRY(!isExact ? addSlack(inputs, InputScale::buffer,
                                  estimateRoundingGrowth(inputs, 16))
              : problem.multipliesResults ? widenProducts(inputs)
                                          : widenFewResults(inputs));
    return problem.hasSteps
               ? addReach(inputs, InputScale::buffer, expected.plain)
               : Result<void>();
  }

  /// Adds a real-valued pass if enough of the results do not overflow.
  Result<void> addIfVerified(const std::string &name, const Values &inputs) {
    auto tame = TONNO_TRY(runOnModerateInputs(inputs));
    return isVerified(tame) ? addReal(name, inputs, std::move(tame))
                            : Result<void>();
  }

  /// Returns "state other data, such as ...; ", of the first real input, else
  /// of an integer one.
  std::string adviseInputs(const std::string &reals) const {
    auto advise = [](const BufferSpec &buffer, const std::string &data) {
      return "state other data, such as '--inputs=" + buffer.name + "=" + data +
             "'; ";
    };
    auto input = std::ranges::find_if(signature, isRealInput);
    if (input != signature.end())
      return advise(*input, reals);
    input = std::ranges::find_if(signature, isInput);
    return input == signature.end() ? "" : advise(*input, "integers(1, 100)");
  }

  // Tolerances of results.

  /// Returns how many unit roundoffs the longest sum of varied terms of size 1
  /// may be off: sqrt(K), since roundings cancel, but K where they are all
  /// toward zero.
  double estimateVariedGrowth(double factor) const {
    double varied = factor * std::sqrt(reductionLength);
    return problem.mayTruncateSums ? std::max(varied, reductionLength) : varied;
  }

  /// Returns the same for sums of the inputs: K, too, where data does not vary
  /// at the sums' precision or has few different numbers.
  double estimateRoundingGrowth(const Values &inputs, double factor) const {
    double varied = estimateVariedGrowth(factor);
    double share = std::min(4 * reductionLength * arithmetic.roundoff, 1.0);
    size_t monotonous = 0, others = 0;
    for (size_t i = 0; i < signature.size(); ++i)
      // A shorter input can't be the one that is summed.
      if (isFloatingPoint(signature[i].elementType) && !inputs[i].empty() &&
          static_cast<double>(inputs[i].size()) >= reductionLength)
        ++(isNearlyConstant(inputs[i], share) ? monotonous : others);
    // A product varies if one factor does; for other terms this is unknown.
    bool areEqual = monotonous > 0 && (!isExact || others == 0);
    return areEqual ? std::max(varied, reductionLength) : varied;
  }

  /// Returns true if sums are of reals that are no inputs, as of a table: then
  /// no sensitivity to inputs shows their size.
  bool hasConstantSums() const {
    return reductionLength > 1 && std::ranges::none_of(signature, isRealInput);
  }

  Tolerance realTolerance(const BufferSpec &buffer, const Values &inputs,
                          std::span<const double> rounded) const {
    double roundings =
        problem.isRounded ? 2.04 : 1.02; // the reference has one, too
    Tolerance tolerance{roundings * unitRoundoff(buffer.elementType),
                        absoluteTolerance(buffer.elementType, !isExact)};
    if (isExact || hasConstantSums()) // else in proportion to the sensitivity
      tolerance.roundoffs = estimateRoundingGrowth(inputs, isExact ? 8 : 16) *
                            rootMeanSquare(rounded);
    return tolerance;
  }

  /// Finds the sensitivity of the last pass. A few random changes may by chance
  /// hardly change a result: of 1000 correct results one was then refused, in 3
  /// of 100 sessions; with four runs, one of a million sums. In f16 and bf16,
  /// more runs would hide an exp of less precision.
  Result<Values> findLastSensitivity(const Values &inputs, InputScale scale) {
    constexpr size_t few = 4, least = 8, most = 12;
    bool isCoarse = arithmetic.roundoff > fineRoundoff;
    // Those of an exact kernel have another bound beside them.
    size_t runs =
        isCoarse || isExact ? few : std::max(least, limitPasses(most));
    return reference.findSensitivity(inputs, passes.back().expected, scale,
                                     runs, generator);
  }

  /// Widens the sensitivity of results on `inputs` by the nudged kernel's.
  Result<void> addNudges(Values &sensitivity, const Values &inputs,
                         const Values &results) {
    if (kernels.nudged)
      widenSensitivity(sensitivity,
                       TONNO_TRY(kernels.nudged->run(inputs)).values, results);
    return {};
  }

  /// Widens the bounds of small outputs: a few results may all be small by
  /// chance, but the sensitivity of their terms is not.
  Result<void> widenFewResults(const Values &inputs) {
    // Elements whose root mean square may by chance be far below the usual.
    constexpr size_t fewResults = 16;
    auto isFew = [](const BufferSpec &buffer) {
      return isOutput(buffer) && isFloatingPoint(buffer.elementType) &&
             buffer.elements() < fewResults;
    };
    if (std::ranges::none_of(signature, isFew))
      return {};
    auto sensitivity =
        TONNO_TRY(findLastSensitivity(inputs, InputScale::buffer));
    for (size_t i = 0; i < signature.size(); ++i)
      if (double &bound = passes.back().tolerances[i].roundoffs;
          isFew(signature[i]))
        bound = std::max(bound, estimateRoundingGrowth(inputs, 8) *
                                    rootMeanSquare(sensitivity[i]));
    return {};
  }

  /// Widens the bounds of products: an error in a factor grows with the other
  /// one.
  Result<void> widenProducts(const Values &inputs) {
    OraclePass &pass = passes.back();
    pass.slack = TONNO_TRY(findLastSensitivity(inputs, InputScale::buffer));
    double growth = estimateRoundingGrowth(inputs, 8);
    for (size_t i = 0; i < signature.size(); ++i)
      for (double &element : pass.slack[i])
        // Applies in place of the present bound where it is larger.
        element =
            std::max(0.0, growth * element - pass.tolerances[i].roundoffs);
    return {};
  }

  /// Widens the bounds of sums by the magnitudes of their terms: the root of
  /// the sum of n squares, in proportion to which roundings are, is at least
  /// the sum of the magnitudes over sqrt(n). For kernels of sums and products.
  Result<void> addMagnitudes(const Values &inputs, double growth) {
    Values magnitudes = inputs;
    for (size_t i = 0; i < signature.size(); ++i)
      if (isFloatingPoint(signature[i].elementType))
        for (double &x : magnitudes[i])
          x = std::fabs(x);
    Values sums = TONNO_TRY(reference.run(magnitudes)).values;
    double share = growth / std::sqrt(reductionLength);
    Values &slack = passes.back().slack;
    for (size_t i = 0; i < signature.size(); ++i)
      for (size_t e = 0; e < sums[i].size(); ++e)
        if (std::isfinite(sums[i][e]))
          slack[i][e] = std::max(slack[i][e], share * std::fabs(sums[i][e]));
    return {};
  }

  Result<void> addSlack(const Values &inputs, InputScale scale, double growth) {
    OraclePass &pass = passes.back();
    pass.slack = TONNO_TRY(findLastSensitivity(inputs, scale));
    TONNO_TRY(addNudges(pass.slack, inputs, pass.expected));
    pass.slack =
        mapNumbers(std::move(pass.slack), [&](double x) { return growth * x; });
    return {};
  }

  /// Accepts what lies between two sides of a step.
  Result<void> addReach(const Values &inputs, InputScale scale,
                        const Values &plain) {
    OraclePass &pass = passes.back();
    double share =
        estimateRoundingGrowth(inputs, isExact ? 8 : 16) * arithmetic.roundoff;
    auto reach = TONNO_TRY(reference.computeResultRange(
        inputs, pass.expected, share, scale, problem.isElementwise, generator));
    for (ReferenceKernel &beside : kernels.besideSteps)
      widenResultRange(reach, TONNO_TRY(beside.run(inputs)).values);
    if (!plain.empty())
      widenResultRange(reach, plain);
    pass.lowest = std::move(reach.lowest);
    pass.highest = std::move(reach.highest);
    return {};
  }

  // The f64 reference represents a product of ten matrices that overflows f32
  // in between. Results of inf - inf verify nothing, so such a pass uses
  // smaller inputs. Likewise for the root of a negative number: a variance is
  // drawn positive.

  /// Runs the reference, and the plain kernel, if there is one.
  Result<ModerateResults> runOnModerateInputs(const Values &inputs) {
    ModerateResults tame = {TONNO_TRY(reference.run(inputs))};
    if (!kernels.plain)
      return tame;
    tame.plain = TONNO_TRY(kernels.plain->run(inputs)).values;
    tame.overflows.resize(signature.size());
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

  /// Returns true if over 1 % are NaN, unless that is allowed.
  bool hasManyNans(std::span<const double> values) const {
    return !allowNan && exceedsOnePercent(countNan(values), values.size());
  }

  bool hasFiniteResults(const ModerateResults &tame) const {
    return !tame.findOverflowed() &&
           std::ranges::none_of(tame.results.values, [&](const auto &values) {
             return hasManyNans(values);
           });
  }

  /// Returns true if enough of the results do not overflow.
  bool isVerified(const ModerateResults &tame) const {
    return allowNan || !tame.findOverflowed();
  }

  std::vector<size_t> findDrawn(const Values &declared,
                                bool (*isWanted)(const BufferSpec &)) const {
    std::vector<size_t> drawn;
    for (size_t i = 0; i < signature.size(); ++i)
      if (isWanted(signature[i]) && declared[i].empty())
        drawn.push_back(i);
    return drawn;
  }

  /// Makes those inputs positive by which fewer than `nans` results are NaN.
  Result<void> makePositive(const Values &declared, Values &reals,
                            size_t nans) {
    std::vector<size_t> drawn = findDrawn(declared, isInput);
    auto positive = [&](std::span<const size_t> inputs) {
      Values values = reals;
      for (size_t i : inputs)
        for (double &x : values[i])
          x = std::fabs(x);
      return values;
    };
    Values all = positive(drawn);
    size_t fewest = countAllNan(TONNO_TRY(reference.run(all)).values);
    if (fewest >= nans)
      return {};
    // Changes no more inputs than necessary. A model has hundreds, and several
    // variances: its results are NaN until all of them are positive.
    bool isModel = problem.isRounded && problem.isVerifiedInParts;
    size_t tried = isModel ? 0 : drawn.size();
    for (size_t n = 0; n < tried && nans > fewest; ++n) {
      Values values = positive(std::span(drawn).subspan(n, 1));
      auto others = TONNO_TRY(reference.run(values));
      if (size_t left = countAllNan(others.values); left < nans) {
        nans = left;
        reals = std::move(values);
      }
    }
    if (nans > fewest)
      reals = std::move(all);
    return {};
  }

  /// Runs the kernels on `reals`, whose drawn data is changed until results
  /// neither overflow nor are NaN. Fails if too many overflow.
  Result<ModerateResults> fitReals(const Values &declared, Values &reals) {
    // Enough for repeated products of matrices of 2^16 rows.
    constexpr int maxHalvings = 9;
    auto drawn = runOnModerateInputs(reals);
    if (!drawn || hasFiniteResults(*drawn))
      return drawn;
    if (size_t nans = countAllNan(drawn->results.values);
        nans > 0 && !allowNan) {
      TONNO_TRY(makePositive(declared, reals, nans));
      drawn = runOnModerateInputs(reals);
      if (!drawn || hasFiniteResults(*drawn))
        return drawn;
    }
    Values smaller = reals;
    std::vector<size_t> inputs = findDrawn(declared, isRealInput);
    int most = inputs.empty() ? 0 : maxHalvings;
    for (int halvings = 0; halvings < most; ++halvings) {
      for (size_t i : inputs) {
        for (double &x : smaller[i])
          x /= 2;
        roundTo(signature[i].elementType, smaller[i]);
      }
      auto tame = TONNO_TRY(runOnModerateInputs(smaller));
      if (hasFiniteResults(tame)) {
        reals = std::move(smaller);
        // Results that grow that much are multiplied, and errors with them.
        isExact = false;
        return tame;
      }
    }
    if (isVerified(*drawn))
      return drawn;
    size_t i = *drawn->findOverflowed();
    return Error{"the kernel overflows its own types in " +
                 std::to_string(drawn->countOverflows(i)) + " of " +
                 std::to_string(drawn->overflows[i].size()) + " elements of " +
                 signature[i].name +
                 "; elements that overflow are not verified; " +
                 adviseInputs("uniform(-0.001, 0.001)") +
                 "if overflow is intended, give '--allow-nan'"};
  }

  // Exact passes. `fixed` is declared data that stays as it is.

  /// Returns true if the plain kernel computes exactly these results.
  Result<bool> isExactlyReproduced(const Values &inputs,
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

  /// Returns the largest result on the inputs' magnitudes, which bounds all
  /// that sums and products give on the way, in whatever order.
  Result<double> largestSum(const Values &inputs) {
    auto results = TONNO_TRY(reference.run(
        mapNumbers(inputs, [](double x) { return std::fabs(x); })));
    double largest = 0;
    for (const std::vector<double> &values : results.values)
      largest = std::max(largest, largestMagnitude(values));
    return largest;
  }

  /// Returns true if magnitudes of what may be indices lie among them.
  bool areMagnitudesInRange(const Values &fixed) const {
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

  /// Returns true if no real is over 1 and no integer beyond `room`.
  bool isSmall(const Values &fixed, double room) const {
    for (size_t i = 0; i < fixed.size(); ++i) {
      bool isFloat = isFloatingPoint(signature[i].elementType);
      if (largestMagnitude(fixed[i]) > (isFloat ? 1 : room))
        return false;
    }
    return true;
  }

  Result<void> addExact(const Values &fixed) {
    double limit = arithmetic.largestInteger;
    Values signs = drawSigns(signature, fixed, generator);
    if (!problem.sumsOfProducts) {
      // No bound is known here; short sums of signs stay far below any limit.
      double room = limit / (256 * reductionLength);
      if (room < 1 || !isSmall(fixed, room))
        return {};
      auto results = TONNO_TRY(reference.run(signs));
      // Sums of sums, such as products of several matrices, may be long.
      return TONNO_TRY(isExactlyReproduced(signs, results))
                 ? add({"small exact", true}, signs, std::move(results))
                 : Result<void>();
    }
    if (!areMagnitudesInRange(fixed) || TONNO_TRY(largestSum(signs)) > limit)
      return {};
    auto results = TONNO_TRY(reference.run(signs));
    TONNO_TRY(add({"small exact", true}, signs, std::move(results)));
    return addWide(fixed);
  }

  /// Returns the largest integer that a drawn input can be; 0 without one.
  double largestDrawn(const Values &fixed) const {
    double largest = 0;
    for (size_t i : findDrawn(fixed, isInput))
      largest =
          std::max(largest, largestExactInteger(signature[i].elementType));
    return largest;
  }

  /// Returns how many times the largest number of its type a result is.
  double overflow(const Values &results) const {
    double factor = 0;
    for (size_t i = 0; i < signature.size(); ++i)
      factor = std::max(factor, largestMagnitude(results[i]) /
                                    largestFinite(signature[i].elementType));
    return factor;
  }

  Result<void> addWide(const Values &fixed) {
    // The least of the products' smaller factor, and tries of the larger one.
    constexpr double narrowIntegers = 5;
    constexpr int maxWidths = 12;
    double limit = arithmetic.largestInteger;
    // Exact for a product of two buffers; narrowed down in the loop for others.
    double wide =
        std::min(std::floor(limit / (narrowIntegers * reductionLength)),
                 largestDrawn(fixed));
    double narrow =
        std::max(narrowIntegers, std::floor(limit / (reductionLength * wide)));
    for (int tries = 0; tries < maxWidths && wide >= 2; ++tries) {
      Values integers = drawIntegers(signature, fixed, generator, wide,
                                     std::min(wide, narrow));
      auto sum = TONNO_TRY(largestSum(integers));
      double shrink = std::min(0.7, std::sqrt(limit / sum));
      if (sum <= limit) {
        auto results = TONNO_TRY(reference.run(integers));
        // An infinite result would hide all that led to it.
        double factor = overflow(results.values);
        if (factor <= 1) {
          TONNO_TRY(add({wideExactPass, true}, integers, std::move(results)));
          // Explanations use these bounds to tell less precise sums from wrong
          // ones.
          OraclePass &pass = passes.back();
          for (size_t i = 0; i < signature.size(); ++i)
            pass.tolerances[i].roundoffs = estimateRoundingGrowth(integers, 8) *
                                           rootMeanSquare(pass.expected[i]);
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

  /// Adds integers of any size, which only few of an IntegerData show.
  Result<void> addAnyIntegers(const Values &fixed) {
    // A pass is one run of the reference.
    size_t count = std::max<size_t>(limitPasses(std::size(allIntegerData)), 3);
    for (IntegerData data : std::span(allIntegerData).first(count)) {
      BufferContents inputs =
          drawAnyIntegers(signature, fixed, data, generator);
      auto results = TONNO_TRY(reference.run(inputs));
      push({.name = "any integers, " + std::string(toString(data)),
            .exact = true,
            .isForWinners = data != IntegerData::mixed},
           std::move(inputs), std::move(results));
    }
    return {};
  }

  // A softmax does not mind where its input lies, a normalisation how large it
  // is. So tame inputs don't show who leaves out the maximum or the epsilon.

  /// Shifted inputs and their peaks, if exp overflows at 88: peaks make every
  /// other exponential 0 in f32, so that flushing makes no difference.
  static constexpr double offset = 200, peak = 120;
  /// Factor by which exp overflows later in f64, the reference's type.
  static constexpr double exponents = 8;
  /// Least range of an input that is shifted by `offset` and `peak`.
  static constexpr double leastRange = offset + 2 * peak;

  /// Returns the share of an input's size that an epsilon shows beside, such
  /// that the type has normal numbers of it; 1 if there is none.
  static double smallShare(ElementType type) {
    return std::clamp(16 * smallestNormal(type), 0x1p-16, 1.0);
  }

  /// Returns true if the results stay, but for a share of their size.
  Result<bool> keepsResults(const Values &inputs, const Values &results,
                            double share) {
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

  /// Adds passes with shifted or scaled inputs, if results hardly depend on
  /// that.
  Result<void> addInvariant(const Values &declared, const Values &reals,
                            const Values &results) {
    if (arithmetic.hasNarrowRange)
      return {};
    std::vector<size_t> toShift, toScale;
    for (size_t i : findDrawn(declared, isRealInput)) {
      ElementType type = signature[i].elementType;
      Values shifted = reals, scaled = reals;
      for (double &x : shifted[i])
        x += exponents * offset;
      for (double &x : scaled[i])
        x *= 16;
      if (largestFinite(type) >= leastRange &&
          TONNO_TRY(keepsResults(shifted, results, 1e-6)))
        toShift.push_back(i);
      if (smallShare(type) < 1 &&
          TONNO_TRY(keepsResults(scaled, results, 1e-2)))
        toScale.push_back(i);
    }
    if (!toShift.empty())
      TONNO_TRY(addShifted(reals, toShift));
    return toScale.empty() ? Result<void>() : addSmall(reals, toScale, results);
  }

  Result<void> addShifted(const Values &reals, std::span<const size_t> inputs) {
    // If sums are in f64, exp is too.
    double scale =
        arithmetic.roundoff <= unitRoundoff(ElementType::f64) ? exponents : 1;
    Values shifted = reals, extreme = reals;
    for (size_t i : inputs) {
      for (double &x : shifted[i])
        x += scale * offset;
      addPeaks(signature[i], scale * peak, shifted[i], generator);
      roundTo(signature[i].elementType, shifted[i]);
      extreme[i] = shifted[i];
      for (double &x : extreme[i])
        x *= exponents / scale;
    }
    // The kernel itself overflows if f64 can't hold this.
    auto results = TONNO_TRY(reference.run(extreme));
    return std::ranges::all_of(results.values, areFinite)
               ? addIfVerified("shifted", shifted)
               : Result<void>();
  }

  Result<void> addSmall(const Values &reals, std::span<const size_t> inputs,
                        const Values &results) {
    Values small = reals;
    for (size_t i : inputs) {
      ElementType type = signature[i].elementType;
      for (double &x : small[i])
        x *= smallShare(type);
      roundTo(type, small[i]);
    }
    // If results stay the same here as well, the kernel has no epsilon.
    return TONNO_TRY(keepsResults(small, results, 1e-6))
               ? Result<void>()
               : addIfVerified("small", small);
  }

  // A series is right near 0 and wrong at 10; a maximum that drops NaN is right
  // without any. Where the plain kernel, in the kernel's own types, is wrong as
  // well, any result is right.

  /// Returns true if passes with special numbers are made. Lower precision than
  /// the IR's may imply a smaller range, which they would not allow.
  bool takesSpecial() const { return kernels.plain && !isLowered; }

  /// Adds passes with special numbers: of all magnitudes, and non-finite.
  Result<void> addSpecialPasses(const Values &declared, const Values &reals) {
    // Number of passes that draw whole buffers, and of those that draw a few
    // numbers.
    constexpr size_t wholePasses = 2, lonelyPasses = 6;
    std::vector<size_t> drawn = findDrawn(declared, isRealInput);
    if (!takesSpecial() || drawn.empty())
      return {};
    FloatRange range = problem.isRelaxed  ? FloatRange::moderate
                       : problem.isFinite ? FloatRange::finite
                                          : FloatRange::whole;
    size_t whole = problem.isElementwise ? limitPasses(wholePasses) : 0;
    for (size_t n = 0; n < whole; ++n)
      TONNO_TRY(addSpecial("special numbers " + std::to_string(n + 1),
                           drawSpecial(signature, declared, range,
                                       /*areEnds=*/n % 2 == 1, generator)));
    for (size_t n = 0; n < limitPasses(lonelyPasses); ++n) {
      Values inputs = reals;
      size_t i = drawn[n % drawn.size()];
      putSpecial(signature[i], inputs[i], range, n / drawn.size(), generator);
      TONNO_TRY(
          addSpecial("one special number " + std::to_string(n + 1), inputs));
    }
    return {};
  }

  /// Adds integers of any size, of a kernel that computes with reals, too.
  Result<void> addIntegersBesideReals(const Values &declared,
                                      const Values &reals) {
    if (!takesSpecial())
      return {};
    constexpr std::array<IntegerData, 4> ways = {
        IntegerData::mixed, IntegerData::lines, IntegerData::linesAcross,
        IntegerData::largest};
    for (IntegerData way : std::span(ways).first(limitPasses(ways.size()))) {
      Values inputs = declared;
      for (size_t i = 0; i < signature.size(); ++i)
        if (isFloatingPoint(signature[i].elementType))
          inputs[i] = reals[i];
      BufferContents drawn = drawAnyIntegers(signature, inputs, way, generator);
      for (size_t i : findDrawn(inputs, isInput)) {
        inputs[i] = decode(signature[i].elementType, drawn[i]);
        for (double &x : inputs[i]) // of 64 bits, those that doubles hold
          x = std::clamp(x, -0x1p62, 0x1p62);
      }
      TONNO_TRY(
          addSpecial("any integers, " + std::string(toString(way)), inputs));
    }
    return {};
  }

  Result<void> addSpecial(const std::string &name, const Values &inputs) {
    // Number of subnormal numbers that may have been flushed on the way to a
    // result.
    constexpr double flushes = 4;
    // Sensitivity above which a result is undetermined, such as sin(1e20): a
    // change by a millionth gives 2 %.
    constexpr double undetermined = 2e4;
    auto results = TONNO_TRY(reference.run(inputs));
    bool mayBeNan = std::exchange(allowNan, true);
    auto added =
        add({.name = name, .isForWinners = true}, inputs, std::move(results));
    allowNan = mayBeNan;
    TONNO_TRY(added);
    OraclePass &pass = passes.back();
    bool takesAny = hasInfiniteFactor(inputs);
    for (const std::vector<double> &values : pass.expected)
      pass.takesAnyNonFinite.emplace_back(values.size(), takesAny);
    for (size_t i = 0; i < signature.size(); ++i) {
      ElementType type = signature[i].elementType;
      // In narrow types, a few subnormal numbers would be all that there are.
      bool isNarrow = isFloatingPoint(type) && bitWidth(type) <= 8;
      // The other part is in proportion to the sensitivity, or to the bound
      // that `add` has found.
      pass.tolerances[i] = {
          1.02 * unitRoundoff(type) + (problem.isRelaxed ? approximation : 0),
          (isNarrow ? 1 : flushes) * absoluteTolerance(type, /*mayFlush=*/true),
          hasConstantSums() ? pass.tolerances[i].roundoffs : 0};
    }
    const double growth = estimateVariedGrowth(16);
    TONNO_TRY(addSlack(inputs, InputScale::own, growth));
    auto plain = TONNO_TRY(kernels.plain->run(inputs));
    // Before addReach: of an undefined conversion it would take any number.
    TONNO_TRY(leaveOpen(inputs, plain, growth * undetermined));
    TONNO_TRY(leaveOverflows(inputs));
    if (isExact)
      TONNO_TRY(addMagnitudes(inputs, growth));
    if (!takesAny)
      TONNO_TRY(takeUndetermined(inputs, growth));
    // A maximum's other argument is near where roundings are as coarse.
    return problem.hasSteps || arithmetic.roundoff > fineRoundoff
               ? addReach(inputs, InputScale::own, plain.values)
               : Result<void>();
  }

  /// Leaves elements open that the plain kernel gets wrong, that flags or
  /// roundings leave undetermined, or whose slack exceeds `most` results.
  Result<void> leaveOpen(const Values &inputs, const ReferenceResults &plain,
                         double most) {
    OraclePass &pass = passes.back();
    pass.isOpen.resize(signature.size());
    for (size_t i = 0; i < signature.size(); ++i) {
      size_t elements = plain.values[i].size();
      // Flags allow other orders, which may overflow on the way.
      ElementType type = signature[i].elementType;
      double largest =
          isFloatingPoint(type) ? std::sqrt(largestFinite(type)) : HUGE_VAL;
      pass.isOpen[i].resize(elements);
      for (size_t e = 0; e < elements; ++e) {
        double result = pass.expected[i][e];
        bool bothFinite =
            std::isfinite(plain.values[i][e]) && std::isfinite(result);
        bool isUndetermined = std::isfinite(result) &&
                              pass.slack[i][e] > most * std::fabs(result);
        pass.isOpen[i][e] =
            isUndetermined || (problem.isFinite && !bothFinite) ||
            (problem.isRelaxed && !(std::fabs(result) < largest)) ||
            (problem.hasAnyZero && std::isinf(result));
      }
    }
    pass.acceptWhereWrong(signature, plain.rounded, arithmetic.roundoff);
    FlushedSubnormals flushed;
    auto other = TONNO_TRY(kernels.plain->run(inputs));
    pass.acceptWhereWrong(signature, other.rounded, arithmetic.roundoff);
    return {};
  }

  /// Keeps infinities and NaN.
  static double clampFinite(double x) {
    constexpr double small = 300;
    return std::isfinite(x) ? std::clamp(x, -small, small) : x;
  }

  /// Leaves open what f64 can't hold on the way either.
  Result<void> leaveOverflows(const Values &inputs) {
    OraclePass &pass = passes.back();
    if (std::ranges::all_of(pass.expected, areFinite))
      return {};
    Values finite =
        mapNumbers(inputs, [](double x) { return std::isfinite(x) ? x : 1; });
    auto large = TONNO_TRY(reference.run(finite));
    if (std::ranges::all_of(large.values, areFinite))
      return {};
    // The root of -1 or a quotient by 0 is no overflow, so smaller inputs give
    // it as well.
    auto few = TONNO_TRY(reference.run(mapNumbers(finite, clampFinite)));
    for (size_t i = 0; i < signature.size(); ++i)
      for (size_t e = 0; e < large.values[i].size(); ++e)
        if (!std::isfinite(large.values[i][e]) &&
            std::isfinite(few.values[i][e]))
          pass.isOpen[i][e] = true;
    return {};
  }

  /// Returns true if an element that is to be verified is not finite.
  bool hasNonFinite(const OraclePass &pass) const {
    for (size_t i = 0; i < signature.size(); ++i)
      for (size_t e = 0; e < pass.expected[i].size(); ++e)
        if (!std::isfinite(pass.expected[i][e]) && !pass.isOpen[i][e])
          return true;
    return false;
  }

  /// Accepts any result that is not finite where roundings decide which one.
  /// In f32, h = 1 + tanh(-9) may be positive, negative or 0, so that h * inf
  /// is inf, -inf or NaN. With a large number L in place of inf, the bound of
  /// the error of h * L is larger than h * L.
  Result<void> takeUndetermined(const Values &inputs, double growth) {
    // Two infinite terms have one result. Each of the two numbers in their
    // place is the larger one in a run of each pair.
    constexpr int least = 40, most = 300; // exponents: f64 holds the cubes
    constexpr size_t pairs = 3, moves = 2;
    auto isInfinite = [](double x) { return std::isinf(x); };
    // Without several roundings, no factor is rounded.
    if (!kernels.nudged || !hasNonFinite(passes.back()) ||
        std::ranges::none_of(inputs, [&](const std::vector<double> &values) {
          return std::ranges::any_of(values, isInfinite);
        }))
      return {};
    for (size_t n = 0; n < limitPasses(pairs); ++n) {
      Values rising = mapNumbers(inputs, clampFinite), falling = rising;
      for (size_t i = 0; i < inputs.size(); ++i)
        for (size_t e = 0; e < inputs[i].size(); ++e) {
          if (!isInfinite(inputs[i][e]))
            continue;
          int exponent =
              least + static_cast<int>(generator() % (most - least + 1));
          double sign = std::copysign(1, inputs[i][e]);
          rising[i][e] = std::ldexp(sign, exponent);
          falling[i][e] = std::ldexp(sign, least + most - exponent);
        }
      for (const Values &large : {rising, falling})
        TONNO_TRY(takeUndeterminedProducts(large, growth, limitPasses(moves)));
    }
    return {};
  }

  /// Does so by the results on inputs with large numbers in place of infinity.
  Result<void> takeUndeterminedProducts(const Values &large, double growth,
                                        size_t moves) {
    Values results = TONNO_TRY(reference.run(large)).values;
    Values moved = TONNO_TRY(reference.findSensitivity(
        large, results, InputScale::own, moves, generator));
    Values sensitivity = moved;
    TONNO_TRY(addNudges(sensitivity, large, results));
    Flags &takesAny = passes.back().takesAnyNonFinite;
    for (size_t i = 0; i < signature.size(); ++i)
      for (size_t e = 0; e < results[i].size(); ++e) {
        double result = std::fabs(results[i][e]);
        // Candidates are expected to compute 1 + tanh(-inf) = 0 exactly.
        double change = result == 0 ? moved[i][e] : sensitivity[i][e];
        if (std::isfinite(result) &&
            growth * arithmetic.roundoff * change > result)
          takesAny[i][e] = true;
      }
    return {};
  }

  // Results that no reference bounds show other bits as well: where sums cancel
  // or overflow, and what becomes of a NaN.

  void pushForBits(const std::string &name, BufferContents inputs) {
    push({.name = name, .isForWinners = true, .isForBits = true},
         std::move(inputs), {});
  }

  /// Adds passes on which only bits are compared.
  void addForBits(const Values &declared) {
    if (findDrawn(declared, isRealInput).empty())
      return;
    pushForBits(
        "sums that cancel",
        encodeAll(signature, drawCancelling(signature, declared, generator)));
    if (!takesSpecial() || problem.isRelaxed)
      return;
    if (!problem.isElementwise) // or else these are passes of the gate
      for (bool areEnds : {false, true})
        pushForBits(areEnds ? "all special numbers" : "all magnitudes",
                    encodeAll(signature,
                              drawSpecial(signature, declared,
                                          problem.isFinite ? FloatRange::finite
                                                           : FloatRange::whole,
                                          areEnds, generator)));
    if (!problem.isFinite)
      pushForBits("any bits", drawAnyBits(signature, declared, generator));
  }

  /// Returns how many of n passes are made: fewer of long references.
  size_t limitPasses(size_t n) const {
    // Up to which a run of the reference is short.
    constexpr double fewOperations = 0x1p26;
    double results = 0, elements = 0;
    for (const BufferSpec &buffer : signature) {
      auto count = static_cast<double>(buffer.elements());
      elements += count;
      results += isOutput(buffer) ? count : 0;
    }
    // Estimates the operations of a run: elementwise results take few, but each
    // element is drawn, moved and converted.
    double work =
        8 * elements + results * (problem.isElementwise ? 1 : reductionLength);
    size_t share = work <= fewOperations        ? 1
                   : work <= 4 * fewOperations  ? 2
                   : work <= 64 * fewOperations ? 4
                                                : n;
    return std::max<size_t>(n / share, 1);
  }

  const Problem &problem;
  const Signature &signature;
  double reductionLength;
  bool isExact;
  Arithmetic arithmetic;
  bool isLowered; ///< below the IR's precision
  bool allowNan;
  Bits bits;
  ReferenceKernels kernels;
  ReferenceKernel &reference;
  std::mt19937_64 generator;
  std::vector<OraclePass> passes;
};

} // namespace

/// Checks that a user's error is of an output, and its unit of the type.
static Result<void> checkError(const AcceptedError &error,
                               const Signature &signature) {
  std::string outputs;
  bool hasReals = false;
  for (const BufferSpec &buffer : signature) {
    if (!isOutput(buffer))
      continue;
    bool isReal = isFloatingPoint(buffer.elementType);
    if (buffer.name == error.output && (isReal || error.unit == ErrorUnit::abs))
      return {};
    if (buffer.name == error.output)
      return Error{"'--tolerance': " + buffer.name +
                   " has integers; give a number of them, such as '" +
                   buffer.name + "=1abs'"};
    hasReals |= isReal;
    outputs += (outputs.empty() ? "" : ", ") + buffer.name;
  }
  if (!error.output.empty())
    return Error{"'--tolerance': the kernel has no output '" + error.output +
                 "'; its outputs are: " + outputs};
  if (!hasReals)
    return Error{"'--tolerance': the kernel has no output of floating point; "
                 "name the output, such as 'result0=1abs'"};
  return {};
}

/// States in each pass the errors that the user accepts.
static Result<void> acceptErrors(std::vector<OraclePass> &passes,
                                 const Signature &signature,
                                 std::span<const AcceptedError> errors) {
  for (const AcceptedError &error : errors)
    TONNO_TRY(checkError(error, signature));
  if (errors.empty())
    return {};
  for (OraclePass &pass : passes)
    pass.accepted.resize(signature.size());
  for (size_t i = 0; i < signature.size(); ++i) {
    const BufferSpec &buffer = signature[i];
    if (!isOutput(buffer))
      continue;
    UserTolerance given = {.type = buffer.elementType};
    double share = 0; // of the root mean square
    for (const AcceptedError &error : errors) {
      if (error.output != buffer.name &&
          !(error.output.empty() && isFloatingPoint(buffer.elementType)))
        continue;
      double &most = error.unit == ErrorUnit::rms   ? share
                     : error.unit == ErrorUnit::rel ? given.relative
                     : error.unit == ErrorUnit::abs ? given.absolute
                                                    : given.ulps;
      most = std::max(most, error.most);
    }
    const double usual = rootMeanSquare(passes.back().expected[i]);
    for (OraclePass &pass : passes) {
      UserTolerance &accepted = pass.accepted[i] = given;
      // Huge numbers beside others would hide all errors of these.
      double size =
          pass.isForWinners ? usual : rootMeanSquare(pass.expected[i]);
      accepted.absolute = std::max(accepted.absolute, share * size);
      if (pass.isForWinners)
        accepted.relative = std::max(accepted.relative, share);
    }
  }
  return {};
}

Result<std::vector<OraclePass>> tonno::makePasses(const Problem &problem,
                                                  const Signature &signature,
                                                  const Arithmetic &arithmetic,
                                                  const OracleOptions &options,
                                                  uint64_t seed, Device &host) {
  auto kernels = TONNO_TRY(ReferenceKernels::load(problem, signature, host));
  auto passes = TONNO_TRY(OraclePasses(problem, signature, arithmetic, options,
                                       std::move(kernels), seed)
                              .make());
  TONNO_TRY(acceptErrors(passes, signature, options.errors));
  return passes;
}
