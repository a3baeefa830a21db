//===- Tunes what is compiled ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_BUNDLESESSION_H
#define TONNO_SESSION_BUNDLESESSION_H

#include "tonno/Runtime/RunnerProcess.h"
#include "tonno/Session/Bundle.h"
#include "tonno/Session/BundleResult.h"
#include "tonno/Session/TuneObserver.h"

namespace tonno {

/// How a bundle is run; its candidates are all tried.
struct BundleOptions {
  double seconds = std::numeric_limits<double>::infinity(); ///< for each kernel
  /// That the runner lets one run of the reference take.
  double referenceSeconds = RunnerLimits().referenceSeconds;
  std::function<bool()> interrupted = [] { return false; };
  /// For a file of each candidate that fails here; empty: none.
  std::string failureDirectory = {};
  std::string device = {}; ///< what those files say that it ran on
};

/// Runs a bundle's candidates of one kernel through the loop. The Error says
/// why there is no result: the bundle does not fit this runner, or no candidate
/// ran correctly.
Result<BundleResult> runBundled(const BundledKernel &kernel, Runner &runner,
                                TuneObserver &observer,
                                const BundleOptions &options);

} // namespace tonno

#endif // TONNO_SESSION_BUNDLESESSION_H
