//===- Reproduces a failure -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TUNER_REPRODUCE_H
#define TONNO_TUNER_REPRODUCE_H

#include "tonno/Process/ProgramStart.h"
#include "tonno/Session/Reproduction.h"

#include <functional>

namespace tonno {

/// The processes that have a failure again.
struct ReproductionProcesses {
  std::vector<Command> workers; ///< the first one; empty: tonno-worker
  std::vector<Command> runners; ///< the first one; empty: tonno-runner
  double startSeconds = defaultStartSeconds;
  /// Once it says so, they end, and nothing is waited for.
  std::function<bool()> interrupted = [] { return false; };
  /// Another process, `holder`, has the device; said once.
  std::function<void(const std::string &holder)> waiting =
      [](const std::string &) {};
};

/// Compiles or runs what failed once more, as it was, and returns what comes of
/// it; `ok` among others. The Error is for what keeps it from being tried.
Result<Failure> reproduce(const Reproduction &reproduction,
                          const ReproductionProcesses &processes);

} // namespace tonno

#endif // TONNO_TUNER_REPRODUCE_H
