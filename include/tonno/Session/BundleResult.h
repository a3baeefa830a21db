//===- What running a bundle found ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_BUNDLERESULT_H
#define TONNO_SESSION_BUNDLERESULT_H

#include "tonno/Session/KernelOutcome.h"

#include <map>

namespace tonno {

/// What was found of one kernel on the device of another machine. Goes into the
/// records and into the IR as if it had been tuned here.
struct BundleResult {
  std::string kernel;
  ProblemIdentity identity; ///< with the device
  DeviceDescription device;
  SearchSpace space;
  Json search; ///< effortJson
  DecisionRecord decision;
  /// SessionOutcome::isConclusive, and neither survey nor run were cut short.
  bool isConclusive = true;
  std::vector<TrialRecord> trials;
};

/// What running a bundle found of all its kernels.
struct BundleResults {
  std::vector<BundleResult> kernels;
  std::map<std::string, std::string> failures; ///< kernel -> why it has none

  const BundleResult *find(std::string_view kernel) const;
  bool isEmpty() const { return kernels.empty() && failures.empty(); }
};

/// Indented JSON text, for people and programs.
std::string encodeResults(const BundleResults &results);
Result<BundleResults> decodeResults(std::string_view text);

/// An Error unless the result is of this kernel: it names what differs, which
/// may be the compiler or how candidates are judged.
Result<void> checkSameProblem(const BundleResult &result,
                              const ProblemIdentity &identity,
                              const SearchSpace &space);

} // namespace tonno

#endif // TONNO_SESSION_BUNDLERESULT_H
