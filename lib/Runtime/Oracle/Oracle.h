//===- The correctness gate -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_ORACLE_ORACLE_H
#define TONNO_LIB_RUNTIME_ORACLE_ORACLE_H

#include "tonno/Core/Descriptor.h"
#include "tonno/Core/Problem.h"
#include "tonno/Core/Status.h"
#include "tonno/Engine/OracleOptions.h"
#include "InputData.h"

#include <chrono>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tonno {

/// The precision in which a candidate's sums are formed at least.
struct Arithmetic {
  double roundoff; ///< half the distance of 1 to the next number
  /// Up to which all integers, and all sums and products of them, are exact.
  double largestInteger;
  bool hasNarrowRange = false; ///< f16's: beyond 65504 is infinity

  /// What the IR says.
  static Arithmetic of(ElementType accumulator);

  /// What OracleOptions::allowLowerPrecision makes of it: the precision of the
  /// kernel's narrowest floating-point input, f32's being that of tf32 where
  /// sums are of f32, and f64's that of f32. Never more precise than the IR.
  static Arithmetic lowered(ElementType accumulator,
                            const Signature &signature);
};

/// The one that shows sums of less precision than the IR's.
inline constexpr const char *wideExactPass = "wide exact";

/// How far a result may be from the reference's.
struct Tolerance {
  double relative = 0; ///< of the reference's magnitude
  double absolute = 0;
  double roundoffs = 0; ///< of the arithmetic in which sums are formed

  bool operator==(const Tolerance &) const = default;
};

/// One launch of the correctness gate.
struct OraclePass {
  std::string name;
  bool exact = false;
  /// Only what may win is launched on it.
  bool isForWinners = false;
  BufferContents inputs = {};
  // Of the outputs; empty or default for other buffers.
  Values expected = {};
  BufferContents rounded = {}; ///< once, to the buffers' element types
  std::vector<Tolerance> tolerances = {};
  /// To be added to Tolerance::roundoffs, for each element; empty where that is
  /// nothing.
  Values slack = {};
  /// Where results have steps: between these, too, an element is right.
  Values lowest = {}, highest = {};

  /// Where the reference is not finite, so must a result be, whichever way:
  /// inf - inf is in the one order what inf is in the other.
  bool takesAnyNonFinite = false;
  /// Where any result is right; empty where none is.
  std::vector<std::vector<bool>> isOpen = {};

  /// Leaves open where these results are wrong.
  void openWhereWrong(const Signature &signature, const BufferContents &found,
                      double roundoff);

  /// How far an element may be off, of sums with this unit roundoff.
  double allowed(size_t buffer, size_t element, double roundoff) const;

  /// Whether what a launch left in the outputs is right; else a Failure, wrong,
  /// that names the first element.
  Result<void, Failure> check(const Signature &signature,
                              const BufferContents &found,
                              double roundoff) const;

  bool operator==(const OraclePass &) const = default;
};

/// Returns an empty file in memory for the passes of runners that this process
/// starts, which open it by pathForOthers. Not valid where there is none.
Descriptor makeFileForPasses();

/// Returns the name by which a process of the same user on this machine opens
/// a descriptor of this one.
std::string pathForOthers(const Descriptor &file);

/// Writes passes to such a file, and seals it, so that no candidate changes
/// them. Returns false if that failed: the file stays empty. `key` tells what
/// the passes are of.
bool keepPasses(const std::string &path, const std::string &key,
                std::span<const OraclePass> passes);

/// Returns the passes that were kept under this key; none if the file is not
/// such a file, or not sealed.
std::optional<std::vector<OraclePass>> readPasses(const std::string &path,
                                                  const std::string &key);

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
/// Passes, from docs/design/correctness.md:
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
///   with the sensitivity of each element (ReferenceKernel.h); K for 8 or 16
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
  Result<Verification, Failure> judge(Device &device, Executable &candidate,
                                      const LaunchPlan &plan,
                                      Verification verification,
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

#endif // TONNO_LIB_RUNTIME_ORACLE_ORACLE_H
