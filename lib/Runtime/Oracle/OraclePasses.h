//===- Makes the correctness gate's passes --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_ORACLE_ORACLEPASSES_H
#define TONNO_LIB_RUNTIME_ORACLE_ORACLEPASSES_H

#include "Oracle.h"
#include "ReferenceKernel.h"

#include <optional>

namespace tonno {

/// Roundings up to which results move in proportion to them: those of f32 and
/// f64.
inline constexpr double fineRoundoff = 0x1p-20;

/// A problem's, where it has them.
struct ReferenceKernels {
  ReferenceKernel reference;
  std::optional<ReferenceKernel> nudged, plain;
  std::vector<ReferenceKernel> besideSteps;
};

/// Right results on tame inputs.
struct TameResults {
  ReferenceResults results;
  Values plain = {}; ///< the plain kernel's; empty without one
  /// Where the plain kernel is not finite, and not the reference's infinity or
  /// NaN; flags of each buffer's elements, empty without a plain kernel.
  std::vector<std::vector<bool>> overflows = {};
};

/// Draws inputs and runs the reference on them, for one kernel.
class OraclePasses {
public:
  OraclePasses(const Problem &problem, const Signature &signature,
               const Arithmetic &arithmetic, bool allowNan,
               ReferenceKernels kernels, uint64_t seed);

  /// All passes, the real-valued one last.
  Result<std::vector<OraclePass>> make();

private:
  /// `fixed` is declared data that stays as it is.
  Result<void> addExact(const Values &fixed);
  Result<void> addWide(const Values &fixed);
  /// Integers of any size, which only few of an IntegerData show.
  Result<void> addAnyIntegers(const Values &fixed);
  /// Runs the reference, and the plain kernel, if there is one.
  Result<TameResults> runTame(const Values &inputs);
  /// Runs them on `reals`, whose drawn data it changes until results neither
  /// overflow nor are NaN. An Error if too many overflow.
  Result<TameResults> fitReals(const Values &declared, Values &reals);
  std::vector<size_t> findDrawn(const Values &declared) const;
  std::vector<size_t> findDrawnReals(const Values &declared) const;
  /// Makes those of the drawn inputs positive by which fewer than `nans`
  /// results are NaN.
  Result<void> makePositive(const Values &declared, Values &reals, size_t nans);
  bool isTame(const TameResults &tame) const;
  /// Returns true if over 1 % are NaN, unless that is allowed.
  bool hasManyNans(std::span<const double> values) const;
  /// Returns "state other data, such as ...; ", of the first real input, else
  /// of an integer one.
  std::string adviseInputs(const std::string &reals) const;
  /// Returns true if enough of the results do not overflow.
  bool isVerified(const TameResults &tame) const;
  /// Returns true if the plain kernel computes exactly these results.
  Result<bool> isHeldExactly(const Values &inputs,
                             const ReferenceResults &results);
  /// Of inputs by whose size or place the results hardly change, other data
  /// tells more.
  Result<void> addInvariant(const Values &declared, const Values &reals,
                            const Values &results);
  Result<void> addShifted(const Values &reals, const std::vector<bool> &inputs);
  Result<void> addSmall(const Values &reals, const std::vector<bool> &inputs,
                        const Values &results);
  /// Of numbers of all magnitudes, and others that are not tame: see
  /// SpecialPasses.cpp.
  Result<void> addSpecialPasses(const Values &declared, const Values &reals);
  /// Integers of any size, of a kernel that computes with reals, too.
  Result<void> addIntegersBesideReals(const Values &declared,
                                      const Values &reals);
  Result<void> addSpecial(const std::string &name, const Values &inputs);
  /// Leaves open what the plain kernel, in its own types, doesn't get right,
  /// and what its flags or roundings leave open.
  /// `most` is the slack, in results, of what says something.
  Result<void> leaveOpen(const Values &inputs, const ReferenceResults &plain,
                         double most);
  /// Whether the results stay, but for a share of their size.
  Result<bool> keepsResults(const Values &inputs, const Values &results,
                            double share);
  Result<void> addReal(const std::string &name, const Values &inputs,
                       TameResults expected);
  /// The same, if enough of the results do not overflow.
  Result<void> addIfVerified(const std::string &name, const Values &inputs);
  Result<void> add(OraclePass pass, const Values &inputs,
                   Result<ReferenceResults> expected);
  Result<double> largestSum(const Values &inputs);
  /// How many unit roundoffs the longest sum of terms of size 1 may be off:
  /// roundings of varied data cancel, to a factor of sqrt(K). Of data that does
  /// not vary at the sums' precision, or has but a few different numbers, they
  /// are equal, and add up: to K.
  double growthOfRoundings(const Values &inputs, double factor) const;
  /// How far off a number near 0 may be.
  static double absoluteTolerance(ElementType type, bool mayFlush);
  bool sumsConstants() const;
  Tolerance realTolerance(const BufferSpec &buffer, const Values &inputs,
                          std::span<const double> rounded) const;
  /// Few results may all be small by chance, which says nothing of the terms
  /// that they are sums of: their sensitivity does.
  Result<void> widenFewResults(const Values &inputs);
  /// Where results are multiplied, an error grows with the other factor.
  Result<void> widenProducts(const Values &inputs);
  /// Of the last pass's results, for these inputs of it.
  Result<Values> findLastSensitivity(const Values &inputs, InputScale scale);
  Result<void> addSlack(const Values &inputs, InputScale scale, double growth);
  /// Takes for right what lies between two sides of a step. `plain` are the
  /// plain kernel's results, empty without one.
  Result<void> addReach(const Values &inputs, InputScale scale,
                        const Values &plain);
  /// Of so many passes that cost as the special ones do, how many are made:
  /// fewer of kernels whose reference computes for long, or has large results.
  size_t affordable(size_t passes) const;
  size_t sensitivityRuns() const;
  /// Leaves open what f64 can't hold on the way either.
  Result<void> leaveOverflows(const Values &inputs);

  const Problem &problem;
  Signature signature;
  double reductionLength;
  bool isExact;
  Arithmetic arithmetic;
  bool isLowered; ///< below what the IR says
  bool allowNan;
  ReferenceKernels kernels;
  ReferenceKernel &reference;
  std::mt19937_64 generator;
  std::vector<OraclePass> passes;
};

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_ORACLE_ORACLEPASSES_H
