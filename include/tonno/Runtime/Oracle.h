//===- Oracle.h - Whether a candidate computes the right thing --*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_RUNTIME_ORACLE_H
#define TONNO_RUNTIME_ORACLE_H

#include "tonno/Core/Problem.h"
#include "tonno/Runtime/InputData.h"

#include <string>
#include <vector>

namespace tonno {

class ReferenceKernel;
struct ReferenceResults;

/// Part of every record's key. Counts the changes of what passes.
inline constexpr int oracleVersion = 4;

/// How far a result may be from the reference's.
struct Tolerance {
  double relative = 0; ///< of the reference's magnitude
  double absolute = 0;

  double at(double expected) const;
};

/// The correctness gate. The reference is run once on each set of inputs; every
/// candidate must reproduce its results, leave its inputs alone and stay within
/// its buffers. What it reads and writes is given its first contents before
/// each launch, and compared behind it.
///
/// Passes, from docs/Measuring.md:
/// - small exact (where Problem::exact): inputs +-1, results compared bit for
///   bit, so that one dropped or doubled term shows;
/// - wide exact (where Problem::sumsOfProducts too): the largest integers whose
///   sums of magnitudes the accumulator holds, as the reference shows on the
///   actual data, so that a lower-precision accumulation shows;
/// - real-valued: uniform inputs in [-1, 1), with
///     |error| <= 1.02 u_out |reference| + 8 sqrt(K) u_acc rms(reference)
///                + half the smallest subnormal
///   (K for 8 sqrt(K) where the inputs hardly vary: equal roundings add up),
///   or, of a kernel with other operations than an exact one has,
///     |error| <= 1.02 u_out |reference| + 16 sqrt(K) u_acc sensitivity
///   with the sensitivity of each element (Sensitivity.h).
/// Integers are compared bit for bit in every pass. Non-finite results must
/// match the reference's.
///
/// Data that a buffer declares takes the place of the pass's own: always in the
/// real-valued pass, and in the exact ones where it is all integers or the
/// buffer is of integer type. An exact pass is left out where with such data
/// the accumulator may not hold what is computed.
class Oracle {
public:
  /// Makes the inputs from the seed and runs the reference on the host. A
  /// reference with over 1 % NaN is an Error: nothing could be verified. So is
  /// declared data that a buffer can't hold.
  static Result<Oracle> create(const Problem &problem,
                               const Signature &signature, uint64_t seed,
                               Device &host);

  /// Runs the candidate, whose plan's buffers begin with the signature, once
  /// for each pass. Statuses: wrong, out_of_bounds, or what the device reports.
  Result<void, Failure> verify(Device &device, Executable &candidate,
                               const LaunchPlan &plan) const;

  /// Inputs for timing: those of the real-valued pass.
  const BufferContents &timingInputs() const { return passes.back().inputs; }

private:
  struct Pass {
    std::string name;
    bool exact;
    BufferContents inputs;
    // Of the outputs; empty or default for other buffers.
    Values expected;
    BufferContents rounded; ///< once, to the buffers' element types
    std::vector<Tolerance> tolerances;
    /// What an error may have beside its tolerance, for each element; empty
    /// where that is nothing.
    Values slack = {};

    double allowed(size_t buffer, size_t element) const;
  };

  Oracle(const Problem &problem, const Signature &signature)
      : reductionLength(static_cast<double>(problem.reductionLength)),
        isExact(problem.exact), accumulator(problem.accumulator),
        sumsOfProducts(problem.sumsOfProducts), signature(signature) {}

  /// `fixed` is declared data that stays as it is.
  Result<void> addExactPasses(ReferenceKernel &reference, const Values &fixed,
                              std::mt19937_64 &generator);
  Result<void> addWidePass(ReferenceKernel &reference, const Values &fixed,
                           std::mt19937_64 &generator);
  Result<void> addPass(std::string name, bool exact, const Values &inputs,
                       Result<ReferenceResults> expected);
  /// `nudged`: what Problem::nudged makes of the same inputs.
  Result<void> addSlack(ReferenceKernel &reference, const Values &inputs,
                        const std::optional<Values> &nudged,
                        std::mt19937_64 &generator);
  Tolerance realTolerance(const BufferSpec &buffer, const Values &inputs,
                          std::span<const double> rounded) const;
  Result<void, Failure> compare(const Pass &pass,
                                const BufferContents &found) const;

  double reductionLength;
  bool isExact;
  ElementType accumulator;
  bool sumsOfProducts;
  Signature signature;
  std::vector<Pass> passes;
};

} // namespace tonno

#endif // TONNO_RUNTIME_ORACLE_H
