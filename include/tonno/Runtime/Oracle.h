//===- Whether a candidate computes the right thing -----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_ORACLE_H
#define TONNO_RUNTIME_ORACLE_H

#include "tonno/Core/Problem.h"
#include "tonno/Runtime/Arithmetic.h"
#include "tonno/Runtime/OracleOptions.h"
#include "tonno/Runtime/OraclePass.h"

#include <chrono>
#include <limits>

namespace tonno {

/// Part of every record's key. Counts the changes of what passes.
inline constexpr int oracleVersion = 12;

/// Which passes a candidate is launched on.
enum class Verification {
  brief,      ///< the first two of a trial's, where launches take long
  afterBrief, ///< all but those and the real-valued one
  trial,      ///< those that most candidates fail, if any
  afterTrial, ///< those that are left out of a trial
  winner,     ///< all
};

/// How often a launch is repeated to see whether its results stay: `least`
/// times, and on until it was `most` times or `time` is over.
struct LaunchRepeats {
  int least = 1;
  int most = 1;
  std::chrono::steady_clock::duration time{};
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
///   with the sensitivity for the rms where there are few results, or, of a
///   kernel with other operations than an exact one has,
///     |error| <= 1.02 u_out |reference| + 16 sqrt(K) u_acc sensitivity
///   with the sensitivity of each element (Sensitivity.h); K for 8 or 16
///   sqrt(K) where the inputs hardly vary: equal roundings add up;
/// - shifted and small (of kernels that are not exact, and normalise): the same
///   bound on inputs near 200 with peaks, and on small ones.
/// Integers are compared bit for bit in every pass. Non-finite results must
/// match the reference's. The real-valued pass is launched again, and its
/// outputs must be the same bits.
///
/// What may win is launched twice more on a device that guards its blocks: each
/// buffer ends at inaccessible memory, and then begins there.
///
/// Data that a buffer declares takes the place of the pass's own: always in the
/// real-valued pass, and in the exact ones where it is all integers or the
/// buffer is of integer type. An exact pass is left out where with such data
/// the accumulator may not hold what is computed.
class Oracle {
public:
  /// Makes the inputs from the seed and runs the reference on `host`, which is
  /// the candidates' device where the reference is one of its kernels. A
  /// reference with over 1 % NaN is an Error unless allowed. So is declared
  /// data that a buffer can't hold.
  static Result<Oracle> create(const Problem &problem,
                               const Signature &signature, uint64_t seed,
                               Device &host, const OracleOptions &options = {});

  /// The same with passes that were made before, for the same problem,
  /// signature, seed and options: nothing is run.
  Oracle(const Problem &problem, const Signature &signature,
         const OracleOptions &options, std::vector<OraclePass> passes);

  /// Runs the candidate, whose plan's buffers begin with the signature, once
  /// for each of those passes, and as `repeats` says more on the inputs of the
  /// real-valued one, if that is among them. Returns the verification that was
  /// made: `brief` in place of `trial` if the first launch took
  /// `longLaunchSeconds`, and checkTimed is for the launches that follow.
  /// Statuses: wrong, out_of_bounds, nondeterministic, or what the device
  /// reports.
  Result<Verification, Failure> verify(
      Device &device, Executable &candidate, const LaunchPlan &plan,
      Verification verification = Verification::winner,
      const LaunchRepeats &repeats = {},
      double longLaunchSeconds = std::numeric_limits<double>::infinity()) const;

  /// Checks the outputs of a launch on timingInputs(), and that they are the
  /// same bits as those of the first such launch, which `first` keeps.
  Result<void, Failure> checkTimed(const BufferContents &outputs,
                                   BufferContents &first) const;

  /// Inputs for timing: those of the real-valued pass.
  const BufferContents &timingInputs() const { return passes.back().inputs; }

  /// In the order in which they are launched.
  std::span<const OraclePass> allPasses() const { return passes; }

private:
  /// With all buffers in one block of memory.
  Result<Verification, Failure>
  judgeTogether(Device &device, Executable &candidate, const LaunchPlan &plan,
                Verification verification, const LaunchRepeats &repeats,
                double longLaunchSeconds) const;
  Result<Verification, Failure> judge(Device &device, Executable &candidate,
                                      BufferSet &set, Verification verification,
                                      const LaunchRepeats &repeats,
                                      double longLaunchSeconds) const;
  bool isAmong(const OraclePass &pass, Verification verification) const;
  /// On the real-valued pass, with each buffer at an edge of what can be
  /// reached.
  Result<void, Failure> judgeAt(BufferSet::Edge edge, Device &device,
                                Executable &candidate,
                                const LaunchPlan &plan) const;
  /// A launch's buffers, and how long it took.
  struct Launched {
    BufferContents contents;
    double seconds = 0;
  };
  /// Launches the candidate on a pass's inputs, which it must leave alone.
  Result<Launched, Failure> launch(Device &device, Executable &candidate,
                                   BufferSet &set,
                                   const OraclePass &pass) const;
  Result<void, Failure> repeat(Device &device, Executable &candidate,
                               BufferSet &set,
                               const BufferContents &first) const;
  double roundoffIn(const OraclePass &pass) const;
  /// Says of sums that are but less precise how to allow them.
  Failure explain(Failure wrong, const OraclePass &pass,
                  const BufferContents &results, Device &device,
                  Executable &candidate, BufferSet &set) const;

  Signature signature;
  OracleOptions options;
  Arithmetic arithmetic;
  Arithmetic lowered;
  std::vector<OraclePass> passes; ///< the real-valued one last
};

} // namespace tonno

#endif // TONNO_RUNTIME_ORACLE_H
