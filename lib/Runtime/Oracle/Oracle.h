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

  /// Returns the arithmetic that the IR specifies.
  static Arithmetic of(ElementType accumulator);

  /// Lowers to the kernel's narrowest floating-point input, f32 as tf32 where
  /// sums are f32, f64 as f32 (OracleOptions::allowLowerPrecision).
  static Arithmetic lowered(ElementType accumulator,
                            const Signature &signature);
};

/// Name of the pass that detects sums of less precision than the IR's.
inline constexpr const char *wideExactPass = "wide exact";

/// Flag for each element of each buffer, as bytes that can be written to a file
/// at once.
using Flags = std::vector<std::vector<char>>;

/// Largest distance of a result from the reference's.
struct Tolerance {
  double relative = 0; ///< of the reference's magnitude
  double absolute = 0;
  double roundoffs = 0; ///< of the arithmetic in which sums are formed

  bool operator==(const Tolerance &) const = default;
};

/// Error of an output that the user accepts, in place of the gate's if larger.
struct UserTolerance {
  double relative = 0; ///< of the reference's magnitude
  double absolute = 0;
  double ulps = 0;                     ///< distances of numbers of the type
  ElementType type = ElementType::f32; ///< of the output

  /// Returns the largest error of an element with this result.
  double allowed(double result) const;

  bool operator==(const UserTolerance &) const = default;
};

/// Launch of the correctness gate: inputs, and the results they must give.
struct OraclePass {
  std::string name;
  bool exact = false;
  /// True if only candidates that may win are launched on this pass.
  bool isForWinners = false;
  /// True if only bits are compared: no results are expected.
  bool isForBits = false;
  BufferContents inputs = {};
  // Results of the outputs; empty or default for other buffers.
  Values expected = {};
  BufferContents rounded = {}; ///< once, to the buffers' element types
  std::vector<Tolerance> tolerances = {};
  /// Added to Tolerance::roundoffs of each element; may be empty.
  Values slack = {};
  /// Bounds of results with steps: every element between them is right, too.
  Values lowest = {}, highest = {};

  /// True for elements of which any result that is not finite is right if the
  /// reference is not finite: inf - inf depends on the order. May be empty.
  Flags takesAnyNonFinite = {};
  /// True for elements of which any result is right; empty if there are none.
  Flags isOpen = {};

  std::vector<UserTolerance> accepted = {}; ///< for each buffer; may be empty

  /// Results of the default configuration, whose bits candidates must give;
  /// empty if they may give others.
  BufferContents ofDefault = {};

  /// Leaves open where these results are wrong.
  void acceptWhereWrong(const Signature &signature, const BufferContents &found,
                        double roundoff);

  /// Returns the largest error of an element if sums have this unit roundoff.
  double allowed(size_t buffer, size_t element, double roundoff) const;

  /// Fails with `wrong` and the first element that is.
  Result<void, Failure> check(const Signature &signature,
                              const BufferContents &found,
                              double roundoff) const;

  /// Fails with `different_bits` and the first element whose bits are not the
  /// default's.
  Result<void, Failure> checkBits(const Signature &signature,
                                  const BufferContents &found) const;

  bool operator==(const OraclePass &) const = default;
};

/// Makes inputs from the seed and runs the reference on `host` with them. The
/// real-valued pass is the last.
Result<std::vector<OraclePass>> makePasses(const Problem &problem,
                                           const Signature &signature,
                                           const Arithmetic &arithmetic,
                                           const OracleOptions &options,
                                           uint64_t seed, Device &host);

/// Returns an empty file in memory for the passes of runners that this process
/// starts; not valid where there is none.
Descriptor makeFileForPasses();

/// Returns a path by which other processes of this user can open the
/// descriptor.
std::string getProcPath(const Descriptor &file);

/// Writes passes to such a file and seals it, so that no candidate changes
/// them. The file stays empty if that fails. `key` identifies the passes.
bool storePasses(const std::string &path, const std::string &key,
                 std::span<const OraclePass> passes);

/// Returns the passes kept under this key in a sealed file, if any.
std::optional<std::vector<OraclePass>> readPasses(const std::string &path,
                                                  const std::string &key);

/// Set of passes on which a candidate is launched.
enum class Verification {
  brief,      ///< the first two of a trial's, where launches take long
  afterBrief, ///< all but those and the real-valued one
  trial,      ///< those that most candidates fail, if any
  afterTrial, ///< those that are left out of a trial
  winner,     ///< all
};

/// Number of launches: `least`, and more until `most` or `time` is reached.
struct LaunchRepeats {
  int least = 1;
  int most = 1;
  std::chrono::steady_clock::duration time{};
};

/// A candidate that has passed the correctness gate.
struct Verified {
  /// The verification that was made.
  Verification made = Verification::winner;
  /// Why the bits of a right candidate are not those that are required.
  std::optional<Failure> otherBits = {};
  /// True if bits differ on inputs of usual size, too.
  bool isOtherOnUsualInputs = false;
  double launchSeconds = 0; ///< of the shortest launch
};

/// Correctness gate. The reference is run once on each set of inputs; every
/// candidate must reproduce its results, leave its inputs unchanged and stay
/// within its buffers, whose contents are restored before each launch. The
/// passes and their bounds are described in docs/design/correctness.md.
///
/// Integers are compared bit for bit in every pass. Non-finite results must
/// match the reference's. The real-valued pass is launched again, and its
/// outputs must have the same bits. Candidates that may win are launched twice
/// more on a device that guards its blocks: each buffer ends at inaccessible
/// memory, and then begins there.
///
/// Declared data replaces the pass's own: always in the real-valued pass, and
/// in exact ones if all of it is integral or of integer type. An exact pass is
/// omitted if the accumulator may not hold its results.
class Oracle {
public:
  /// Makes the inputs from the seed and runs the reference on `host`. Fails if
  /// over 1 % is NaN, unless allowed, or a buffer can't hold declared data.
  static Result<Oracle> create(const Problem &problem,
                               const Signature &signature, uint64_t seed,
                               Device &host, const OracleOptions &options = {});

  /// Takes over passes for the same problem, signature, seed and options.
  Oracle(const Problem &problem, const Signature &signature,
         const OracleOptions &options, std::vector<OraclePass> passes);

  /// Launches the default configuration on the inputs of all passes, and
  /// requires the bits of its results of candidates from then on. Fails if it
  /// fails, or if it gives other bits in a second launch.
  Result<void> requireBits(Device &device, const Artifact &ofDefault);

  /// Runs the candidate once for each pass of `verification`, and as `repeats`
  /// says on the inputs of the real-valued one. Makes `brief` instead of
  /// `trial` if the first launch took `longLaunchSeconds`; checkTimed then
  /// checks the launches that follow. Fails with wrong, out_of_bounds,
  /// nondeterministic, or the device's failure.
  Result<Verified, Failure> verify(
      Device &device, Executable &candidate, const LaunchPlan &plan,
      Verification verification = Verification::winner,
      const LaunchRepeats &repeats = {},
      double longLaunchSeconds = std::numeric_limits<double>::infinity()) const;

  /// Checks the outputs of a launch on timingInputs(), and that they are the
  /// same bits as the first such launch's, which `first` keeps. Fails with
  /// `different_bits` unless those are accepted.
  Result<void, Failure> checkTimed(const BufferContents &outputs,
                                   BufferContents &first,
                                   bool acceptsOtherBits = false) const;

  /// Returns the inputs for timing: those of the real-valued pass.
  const BufferContents &timingInputs() const { return passes.back().inputs; }

  /// Returns the passes in launch order.
  std::span<const OraclePass> allPasses() const { return passes; }

private:
  struct Candidate {
    Device &device;
    Executable &executable;
    const LaunchPlan &plan;
  };
  /// Places the candidate's buffers in a block of memory, with redzones.
  static Result<BufferSet, Failure> placeBuffers(const Candidate &candidate,
                                                 DeviceBlock &block);
  /// Launches the candidate with all buffers in one block of memory.
  Result<Verified, Failure> judge(const Candidate &candidate,
                                  Verification verification,
                                  const LaunchRepeats &repeats,
                                  double longLaunchSeconds) const;
  bool shouldRunPass(const OraclePass &pass, Verification verification) const;
  /// Runs the real-valued pass with buffers at inaccessible memory, and notes
  /// other bits.
  Result<void, Failure> judgeAt(BufferSet::Edge edge,
                                const Candidate &candidate,
                                Verified &verified) const;
  /// A launch's buffers, and how long it took.
  struct Launched {
    BufferContents contents;
    double seconds = 0;
  };
  /// Launches the candidate on a pass's inputs, which it must leave alone.
  Result<Launched, Failure> launch(const Candidate &candidate, BufferSet &set,
                                   const OraclePass &pass) const;
  /// Returns the contents of all buffers after a launch on the pass's inputs.
  /// Fails with `nondeterministic` if a second launch gives others.
  Result<BufferContents, Failure> launchTwice(const Candidate &candidate,
                                              BufferSet &set,
                                              const OraclePass &pass) const;
  Result<void, Failure> repeat(const Candidate &candidate, BufferSet &set,
                               const BufferContents &first) const;
  /// Says of sums that are but less precise how to allow them.
  Failure explain(Failure wrong, const OraclePass &pass,
                  const BufferContents &results, const Candidate &candidate,
                  BufferSet &set) const;

  Signature signature;
  OracleOptions options;
  Arithmetic arithmetic;
  Arithmetic lowered;
  std::vector<OraclePass> passes; ///< the real-valued one last
};

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_ORACLE_ORACLE_H
