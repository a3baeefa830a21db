//===- What is left open of inputs that are not tame ----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/Elements.h"
#include "OraclePasses.h"

#include <algorithm>
#include <cmath>
#include <functional>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace tonno;

// What the kernel's own types can't hold on the way is nobody's mistake: where
// the plain kernel, computed in these, is wrong as well, whatever a candidate
// gives is right.

namespace {

/// While it lives, the processor takes subnormal numbers for 0, in this thread
/// and those that it starts. Does nothing on processors other than x86-64 and
/// AArch64.
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

} // namespace

/// A sensitivity, in results, that a movement by a millionth changes by 2 %:
/// the sine of 1e20 is any number from -1 to 1.
static constexpr double undetermined = 2e4;
/// How many subnormal numbers may have become 0 on the way to a result.
static constexpr double flushes = 4;
/// What is approximated where flags allow it.
static constexpr double approximation = 0x1p-11;

/// Whether something else than the largest inputs is not finite, which other
/// data is probably multiplied by: x (g r) + (b - m g r) is another way to
/// normalise, but for an infinite g.
static bool hasInfiniteFactor(const Values &inputs) {
  size_t most = 0;
  for (const std::vector<double> &values : inputs)
    most = std::max(most, values.size());
  return std::ranges::any_of(inputs, [&](const std::vector<double> &values) {
    return values.size() < most &&
           std::ranges::any_of(
               values, [](double x) { return !std::isfinite(x); });
  });
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
  pass.takesAnyNonFinite = hasInfiniteFactor(inputs);
  for (size_t i = 0; i < signature.size(); ++i)
    // The rest is in proportion to the sensitivity, or what `add` has found.
    pass.tolerances[i] = {1.02 * unitRoundoff(signature[i].elementType) +
                              (problem.isRelaxed ? approximation : 0),
                          flushes * absoluteTolerance(signature[i].elementType,
                                                      /*mayFlush=*/true),
                          sumsConstants() ? pass.tolerances[i].roundoffs : 0};
  const double growth = 16 * std::sqrt(reductionLength);
  if (auto widened = addSlack(inputs, InputScale::own, growth); !widened)
    return widened;
  auto plain = TONNO_TRY(kernels.plain->run(inputs));
  // Before what lies between two sides of a step is right, too: of a conversion
  // that is undefined, any number would.
  if (auto left = leaveOpen(inputs, plain, growth * undetermined); !left)
    return left;
  if (auto left = leaveOverflows(inputs); !left)
    return left;
  // A maximum's other argument is near where roundings are as coarse.
  return problem.hasSteps || arithmetic.roundoff > fineRoundoff
             ? addReach(inputs, InputScale::own, plain.values)
             : Result<void>();
}

Result<void> OraclePasses::leaveOpen(const Values &inputs,
                                     const ReferenceResults &plain,
                                     double most) {
  OraclePass &pass = passes.back();
  pass.isOpen.resize(signature.size());
  for (size_t i = 0; i < signature.size(); ++i) {
    size_t elements = plain.values[i].size();
    // What flags allow to be computed in another order may overflow on the way;
    // of integers it has been converted since.
    bool isFloat = isFloatingPoint(signature[i].elementType);
    double largest =
        isFloat ? std::sqrt(largestFinite(signature[i].elementType)) : HUGE_VAL;
    pass.isOpen[i].resize(elements);
    for (size_t e = 0; e < elements; ++e) {
      double result = pass.expected[i][e];
      bool areFinite =
          std::isfinite(plain.values[i][e]) && std::isfinite(result);
      bool isUndetermined =
          std::isfinite(result) && pass.slack[i][e] > most * std::fabs(result);
      pass.isOpen[i][e] =
          isUndetermined || (problem.isFinite && !areFinite) ||
          (problem.isRelaxed && !(std::fabs(result) < largest)) ||
          (problem.hasAnyZero && std::isinf(result));
    }
  }
  pass.openWhereWrong(signature, plain.rounded, arithmetic.roundoff);
  FlushedSubnormals flushed;
  auto other = TONNO_TRY(kernels.plain->run(inputs));
  pass.openWhereWrong(signature, other.rounded, arithmetic.roundoff);
  return {};
}

Result<void> OraclePasses::leaveOverflows(const Values &inputs) {
  // The same of smaller numbers is no overflow: a root of -1, a quotient by 0.
  constexpr double small = 300;
  OraclePass &pass = passes.back();
  auto isFinite = [](double x) { return std::isfinite(x); };
  auto areFinite = [&](const std::vector<double> &values) {
    return std::ranges::all_of(values, isFinite);
  };
  if (std::ranges::all_of(pass.expected, areFinite))
    return {};
  Values finite = inputs;
  for (std::vector<double> &values : finite)
    std::ranges::replace_if(values, std::not_fn(isFinite), 1);
  Values clamped = finite;
  for (std::vector<double> &values : clamped)
    for (double &x : values)
      x = std::clamp(x, -small, small);
  auto large = TONNO_TRY(reference.run(finite));
  if (std::ranges::all_of(large.values, areFinite))
    return {};
  auto few = TONNO_TRY(reference.run(clamped));
  for (size_t i = 0; i < signature.size(); ++i)
    for (size_t e = 0; e < large.values[i].size(); ++e)
      if (!isFinite(large.values[i][e]) && isFinite(few.values[i][e]))
        pass.isOpen[i][e] = true;
  return {};
}
