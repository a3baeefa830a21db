//===- Verification and timing of a case ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef BENCHMARKS_HOST_CONTEST_H
#define BENCHMARKS_HOST_CONTEST_H

#include "Specification.h"

#include "tonno/Core/Artifact.h"
#include "tonno/Core/Statistics.h"
#include "Sampling/BufferSet.h"

#include <string>
#include <vector>

namespace tonno {

/// Time of one side over another's, with its 95 % interval.
struct Ratio {
  double value = 1;
  Interval interval = {1, 1};
};
void to_json(Json &json, const Ratio &ratio);

/// Computes the ratio from logarithms, one per pass. Passes have separate
/// memory and lie apart in time, so their spread is the figure's; the spread of
/// rounds, which are alike, would be too small.
Ratio ratioOf(std::span<const double> passes);

/// Participant that is timed in turn in each round.
struct Side {
  std::string name;
  Artifact artifact;
  std::string problem = {}; ///< why it takes no part
  bool isSlow = false;      ///< too slow in the first pass to go on
  std::vector<double> logs =
      {}; ///< of each pass: its time over the tuned one's
  std::vector<double> seconds = {}; ///< of each pass: the median of a launch
  bool takesPart() const { return problem.empty() && !isSlow; }
};

/// The tuned kernel, its default and its opponents, on the same buffers.
class Contest {
public:
  /// Reads all binaries, and verifies that they compute the same. The Error
  /// says why the tuned kernel can't take part; for opponents, `problem` does.
  static Result<Contest> create(Device &device, const CaseSpec &spec,
                                uint64_t seed);

  /// Times all sides once more, in fresh memory: rounds in random order, one
  /// sample of each.
  Result<void, Failure> pass(Device &device, const Specification &spec,
                             const ProtocolOptions &options, uint64_t seed);

  const std::string &name() const { return label; }
  std::span<const Side> all() const { return sides; }
  /// Returns the fastest opponent; null if none takes part.
  const Side *best() const;
  /// Returns the side with the default configuration; null if none was given.
  const Side *standard() const;
  /// Returns true if the tuned binary is the default's.
  bool keptDefault() const { return defaultIsTuned; }
  size_t contendedPasses() const { return contended; }

private:
  Contest(std::string label, Signature signature, BufferContents inputs)
      : label(std::move(label)), signature(std::move(signature)),
        inputs(std::move(inputs)) {}

  void addOpponents(std::span<const SideSpec> specs);
  void verify(Device &device, Side &side);
  void screen(double factor);

  std::string label;
  Signature signature;
  BufferContents inputs, outputs; ///< outputs: of the tuned kernel
  std::vector<Side> sides;        ///< tuned first; the default, if any; others
  bool hasDefault = false, defaultIsTuned = false;
  size_t contended = 0;
};

} // namespace tonno

#endif // BENCHMARKS_HOST_CONTEST_H
