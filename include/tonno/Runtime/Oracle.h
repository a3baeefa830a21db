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

/// Part of every record's key. Counts the changes of what passes.
inline constexpr int oracleVersion = 1;

/// The correctness gate. The reference is run once on each set of inputs; every
/// candidate must reproduce its results, leave its inputs alone and stay within
/// its buffers.
///
/// Passes, from docs/Measuring.md:
/// - small exact (where Problem::exact): inputs +-1, results compared bit for
///   bit, so that one dropped or doubled term shows;
/// - wide exact (where Problem::sumsOfProducts too): the largest integers whose
///   sums of magnitudes the accumulator holds, as the reference shows on the
///   actual data, so that a lower-precision accumulation shows;
/// - real-valued: uniform inputs in [-1, 1], with
///     |error| <= 1.02 u_out |reference| + 8 sqrt(K) u_acc rms(reference).
/// Non-finite results must match the reference's.
class Oracle {
public:
  /// Makes the inputs from the seed and runs the reference on the host. A
  /// reference with over 1 % NaN is an Error: nothing could be verified.
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
    Values expected;
  };

  Oracle(const Problem &problem, const Signature &signature)
      : reductionLength(problem.reductionLength),
        accumulator(problem.accumulator),
        sumsOfProducts(problem.sumsOfProducts), signature(signature) {}

  Result<void> addExactPasses(ReferenceKernel &reference,
                              std::mt19937_64 &generator);
  Result<void> addPass(std::string name, bool exact, const Values &inputs,
                       ReferenceKernel &reference);
  Result<void, Failure> compare(const Pass &pass,
                                const BufferContents &found) const;

  uint64_t reductionLength;
  ElementType accumulator;
  bool sumsOfProducts;
  Signature signature;
  std::vector<Pass> passes;
};

} // namespace tonno

#endif // TONNO_RUNTIME_ORACLE_H
